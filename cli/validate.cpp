// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "cli/agreement.hpp"
#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/data_folder.hpp"
#include "cli/experiment_run.hpp"
#include "cli/point_runner.hpp"
#include "cli/profile_file.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/json.hpp"
#include "sim/costs/calibrating_row.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

/// A row of a published table and its prediction.
struct Check {
  const ExperimentPoint* point = nullptr;
  double published = 0;           ///< items/s
  double predicted = 0;           ///< items/s
  std::optional<double> error;    ///< relative, of the throughput
  std::optional<double> perfect;  ///< error of perfect scaling, for several workers
  bool calibration = false;       ///< determines the cost of arithmetic, so its error is not
                                  ///< counted
};

/// The published throughput of one worker, for the baseline of perfect scaling.
std::optional<double> one_worker(const ExperimentFile& file, const ExperimentPoint& point) {
  if (const auto row = calibrating_row(point)) return row->throughput;
  for (const ExperimentPoint& other : file.points) {
    if (other.experiment.workers != 1 || !other.published) continue;
    const bool same = std::equal(
        other.swept.begin(), other.swept.end(), point.swept.begin(), point.swept.end(),
        [](const auto& a, const auto& b) { return a.path == "workers" || a.value == b.value; });
    if (same) return other.published->throughput;
  }
  return std::nullopt;
}

std::vector<Check> checks_of(const ExperimentFile& file, const std::vector<ResultRow>& rows) {
  std::vector<Check> checks;
  const ResultRow* predicted = nullptr;
  for (const ResultRow& row : rows) {
    if (row.source == Source::predicted) predicted = &row;
    if (row.source != Source::published || predicted == nullptr || predicted->index != row.index) {
      continue;
    }
    Check check;
    check.point = row.point;
    check.calibration = sets_the_cost(*predicted, row);
    check.published = row.point->published->throughput;
    check.predicted = predicted->measurement.throughput.value_or(0);
    if (check.predicted > 0) check.error = check.predicted / check.published - 1;
    const int workers = row.point->experiment.workers;
    const std::optional<double> base = one_worker(file, *row.point);
    if (base && workers > 1) {
      check.perfect = workers * *base / check.published - 1;
    }
    checks.push_back(check);
  }
  return checks;
}

std::string errors_line(const std::vector<Check>& checks, std::optional<double> Check::*error) {
  std::vector<double> sizes;
  for (const Check& check : checks) {
    if (!check.calibration && check.*error) sizes.push_back(std::fabs(*(check.*error)));
  }
  if (sizes.empty()) return "no rows";
  return "median |error| " + percent_size(quantile_of(sizes, 0.5)) + ", 95th percentile " +
         percent_size(quantile_of(sizes, 0.95)) + ", " + counted(sizes.size(), "row");
}

std::string summary(const std::string& name, const std::vector<Check>& checks,
                    std::size_t constants) {
  return name + ": " + errors_line(checks, &Check::error) + ", " +
         counted(constants, "fitted constant") + "\n" + name +
         ", perfect scaling: " + errors_line(checks, &Check::perfect) + "\n";
}

std::set<std::string> constants_of(const ExperimentFile& file) {
  std::set<std::string> all;
  for (const ExperimentPoint& point : file.points) {
    for (const std::string& name : point.software->fitted) {
      all.insert(to_flow(point.experiment.software) + ": " + name);
    }
  }
  return all;
}

/// "images/s", or "items/s" if the rows count different items.
std::string unit_of(const std::vector<Check>& checks) {
  std::set<std::string> items;
  for (const Check& check : checks) items.insert(check.point->network->item);
  return (items.size() == 1 ? *items.begin() : "items") + "/s";
}

std::string error_or_calibration(const Check& check, bool colour) {
  if (!check.error) return "";
  return check.calibration ? "calibration" : error_cell(*check.error, colour);
}

std::string rows_table(const std::vector<Check>& checks, const SweptLabels& labels, bool colour) {
  std::vector<std::vector<std::string>> rows;
  for (const Check& check : checks) {
    rows.push_back({name_of(*check.point, labels), significant(check.published, 4),
                    check.predicted > 0 ? significant(check.predicted, 4) : "failed",
                    error_or_calibration(check, colour),
                    check.perfect ? percent(*check.perfect) : ""});
  }
  const std::string unit = unit_of(checks);
  return text_table({{"point"},
                     {"published " + unit, true},
                     {"predicted " + unit, true},
                     {"error", true},
                     {"perfect scaling", true}},
                    rows);
}

/// A row of a table as JSON. `counted` is false if the row determines the cost of arithmetic.
Tree json_of(const Check& check, const std::string& table, const SweptLabels& labels) {
  const auto number = [](double value) { return Tree::scalar(print_number(value)); };
  Tree row = Tree::map();
  row.set("table", Tree::quoted_scalar(table));
  row.set("point", Tree::quoted_scalar(name_of(*check.point, labels)));
  row.set("workers", number(check.point->experiment.workers));
  row.set("unit", Tree::quoted_scalar(check.point->network->item + "/s"));
  row.set("published", number(check.published));
  if (check.predicted > 0) row.set("predicted", number(check.predicted));
  if (check.error) row.set("error", number(*check.error));
  if (check.perfect) row.set("perfect_scaling_error", number(*check.perfect));
  row.set("counted", Tree::scalar(check.calibration ? "false" : "true"));
  return row;
}

/// The published experiments of the repository, in alphabetical order.
std::vector<std::string> committed_tables() {
  const std::filesystem::path folder = data_folder("experiments") / "published";
  std::vector<std::string> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw SpecError("paceline: error: no tables in " + folder.string() + " (give files)");
  }
  return files;
}

int validate(const Options& given, const Terminal& terminal) {
  Options options = given;
  if (options.operands.empty()) options.operands = committed_tables();
  const std::vector<ExperimentFile> files = load_experiments(options);
  ExecutionDevices devices(Device::any);
  const std::optional<Profile> profile =
      profile_for(files, devices, {.quiet = options.quiet}, terminal);
  std::vector<Check> all;
  std::set<std::string> constants;
  std::vector<Tree> json;
  bool good = true;
  for (const ExperimentFile& file : files) {
    PointRun run;
    run.file = &file;
    run.profile = profile ? &*profile : nullptr;
    run.sources.predict = true;
    run.jobs = options.jobs;
    run.quiet = options.quiet;
    const std::vector<ResultRow> rows = run_points(run, terminal);
    const std::vector<Check> checks = checks_of(file, rows);
    const std::set<std::string> fitted = constants_of(file);
    const SweptLabels labels(file.points);
    for (const Check& check : checks) json.push_back(json_of(check, file.name, labels));
    if (!options.json && !options.quiet) {
      terminal.out << file.name << (file.question.empty() ? "" : ": " + file.question) << "\n"
                   << rows_table(checks, labels, terminal.out_colour)
                   << summary(file.name, checks, fitted.size()) << "\n";
    }
    for (const ResultRow& row : rows) {
      if (row.usable()) continue;
      terminal.err << file.path << ": point " << row.index << ": " << row.measurement.status
                   << "\n";
      good = false;
    }
    all.insert(all.end(), checks.begin(), checks.end());
    constants.insert(fitted.begin(), fitted.end());
  }
  if (options.json) {
    terminal.out << to_json(Tree::list(std::move(json)), 2) << "\n";
  } else {
    const std::string note = calibration_note(static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const Check& one) { return one.calibration; })));
    terminal.out << summary("overall", all, constants.size())
                 << "Errors are (predicted - published) / published throughput.\n"
                 << note << (note.empty() ? "" : "\n");
  }
  return good ? kDone : kPointFailed;
}

}  // namespace

CommandRow validate_command() {
  return {"validate",
          "[FILE...]",
          "predict the published tables and print the error of each row",
          {"--set", "-j", "--quiet", "--json"},
          validate};
}

}  // namespace paceline
