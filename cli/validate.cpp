// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/agreement.hpp"
#include "cli/assumptions.hpp"
#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/data_folder.hpp"
#include "cli/experiment_run.hpp"
#include "cli/predicted_rows.hpp"
#include "cli/published_checks.hpp"
#include "cli/text_table.hpp"
#include "cli/validation_page.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/json.hpp"

namespace paceline {
namespace {

std::string sizes(double median, double p95, std::size_t rows) {
  return "median |error| " + percent_size(median) + ", 95th percentile " + percent_size(p95) +
         ", " + counted(rows, "row");
}

std::string errors_line(const CheckStatistics& of) {
  if (of.rows == 0) return "no rows";
  return sizes(of.median, of.p95, of.rows);
}

/// The errors of a table's rows; those that constants were fitted on apart from the others.
std::string summary(const std::string& name, const std::vector<PublishedCheck>& checks,
                    std::size_t constants) {
  const CheckStatistics all = statistics_of(checks, Sample::all);
  const CheckStatistics inside = statistics_of(checks, Sample::inside);
  const CheckStatistics outside = statistics_of(checks, Sample::outside);
  std::string lines;
  if (inside.rows == 0) {
    lines =
        name + ": " + errors_line(outside) + ", " + counted(constants, "fitted constant") + "\n";
  } else {
    lines = name + ", in sample: " + errors_line(inside) + ", " +
            counted(constants, "fitted constant") + "\n";
    if (outside.rows > 0) lines += name + ", out of sample: " + errors_line(outside) + "\n";
  }
  return lines + name + ", perfect scaling: " +
         (all.perfect_rows == 0 ? std::string("no rows")
                                : sizes(all.perfect_median, all.perfect_p95, all.perfect_rows)) +
         "\n";
}

std::set<std::string> constants_of(const ExperimentFile& file) {
  std::set<std::string> all;
  for (const ExperimentPoint& point : file.points) {
    for (const auto& [key, how] : point.experiment.published->constants)
      all.insert(file.name + ": " + key);
    for (const std::string& name : point.software->fitted) {
      all.insert(to_flow(point.experiment.software) + ": " + name);
    }
  }
  return all;
}

/// "images/s", or "items/s" if the rows count different items.
std::string unit_of(const std::vector<PublishedCheck>& checks) {
  std::set<std::string> items;
  for (const PublishedCheck& check : checks) items.insert(check.point->network->item);
  return (items.size() == 1 ? *items.begin() : "items") + "/s";
}

std::string error_or_calibration(const PublishedCheck& check, bool colour) {
  if (!check.error) return "";
  return check.calibration ? "calibration" : error_cell(*check.error, colour);
}

std::string rows_table(const std::vector<PublishedCheck>& checks, const SweptLabels& labels,
                       bool colour, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const PublishedCheck& check : checks) {
    rows.push_back({name_of(*check.point, labels), significant(check.published, 4),
                    check.predicted > 0 ? significant(check.predicted, 4) : "failed",
                    error_or_calibration(check, colour),
                    check.in_sample && check.counted() ? "fitted" : "",
                    check.perfect ? percent(*check.perfect) : ""});
  }
  const std::string unit = unit_of(checks);
  return text_table({{"point"},
                     {"published " + unit, true},
                     {"predicted " + unit, true},
                     {"error", true},
                     {"constants"},
                     {"perfect scaling", true}},
                    rows, TableStyle::aligned, width);
}

/// A row of a table as JSON. `counted` is false if the row determines the cost of arithmetic.
Tree json_of(const PublishedCheck& check, const std::string& table, const SweptLabels& labels) {
  const auto number = [](double value) { return Tree::scalar(print_number(value)); };
  Tree row = Tree::map();
  row.set("table", Tree::quoted_scalar(table));
  row.set("point", Tree::quoted_scalar(name_of(*check.point, labels)));
  row.set("workers", number(check.point->experiment.workers));
  row.set("input", Tree::quoted_scalar(input_in_words(*check.point)));
  row.set("unit", Tree::quoted_scalar(check.point->network->item + "/s"));
  row.set("published", number(check.published));
  if (check.predicted > 0) row.set("predicted", number(check.predicted));
  if (check.error) row.set("error", number(*check.error));
  if (check.perfect) row.set("perfect_scaling_error", number(*check.perfect));
  row.set("counted", Tree::scalar(check.calibration ? "false" : "true"));
  row.set("in_sample", Tree::scalar(check.in_sample ? "true" : "false"));
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

std::string json_page(const std::vector<ValidatedTable>& tables) {
  std::vector<Tree> rows;
  for (const ValidatedTable& table : tables) {
    const SweptLabels labels(table.file->points);
    for (const PublishedCheck& check : table.checks) {
      rows.push_back(json_of(check, table.file->name, labels));
    }
  }
  return to_json(Tree::list(std::move(rows)), 2) + "\n";
}

/// One line for each table: its rows and their errors, beside those of perfect scaling.
std::string summary_table(const std::vector<ValidatedTable>& tables, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const ValidatedTable& table : tables) {
    const CheckStatistics all = statistics_of(table.checks, Sample::all);
    const bool perfect = all.perfect_rows > 0;
    rows.push_back({table.file->name, std::to_string(all.rows),
                    all.rows > 0 ? percent_size(all.median) : "",
                    all.rows > 0 ? percent_size(all.p95) : "",
                    perfect ? percent_size(all.perfect_median) : ""});
  }
  return text_table({{"table"},
                     {"rows", true},
                     {"median", true},
                     {"95th", true},
                     {"median, perfect scaling", true}},
                    rows, TableStyle::aligned, width) +
         "\n";
}

/// The tables that a page of text has above the errors of all.
enum class Detail { rows, tables, none };

std::string text_page(const std::vector<ValidatedTable>& tables, Detail detail,
                      const Terminal& terminal) {
  const auto width = static_cast<std::size_t>(terminal.out_width);
  std::string page;
  std::vector<PublishedCheck> all;
  std::set<std::string> constants;
  for (const auto& [file, checks, stages] : tables) {
    const std::set<std::string> fitted = constants_of(*file);
    if (detail == Detail::rows) {
      page +=
          wrapped(file->name + (file->question.empty() ? "" : ": " + file->question), 0, 2, width) +
          rows_table(checks, SweptLabels(file->points), terminal.out_colour, width) +
          stage_table(stages, SweptLabels(file->points), TableStyle::aligned) +
          summary(file->name, checks, fitted.size()) +
          wrapped(file->name + ", input: " + inputs_in_words(*file), 0, 2, width) + "\n";
    }
    all.insert(all.end(), checks.begin(), checks.end());
    constants.insert(fitted.begin(), fitted.end());
  }
  if (detail == Detail::tables) page += summary_table(tables, width);
  const std::string note = calibration_note(static_cast<std::size_t>(
      std::ranges::count_if(all, [](const PublishedCheck& one) { return one.calibration; })));
  return page + summary("overall", all, constants.size()) +
         "Errors are (predicted - published) / published throughput.\n" + note +
         (note.empty() ? "" : "\n");
}

void check_published(const ExperimentFile& file) {
  const auto published = [](const ExperimentPoint& point) {
    return point.experiment.published.has_value();
  };
  if (std::ranges::all_of(file.points, published)) return;
  throw SpecError(file.path +
                  ": error: the file names no published table to compare with (published: {table: "
                  "FILE.csv}; paceline simulate predicts without one)");
}

int validate(const Options& given, const Terminal& terminal) {
  if (given.summary && (given.json || given.markdown)) {
    throw SpecError("paceline: error: --summary is for the printed table (leave out " +
                    std::string(given.json ? "--json" : "--markdown") + ", which has every row)");
  }
  Options options = given;
  if (options.operands.empty()) options.operands = committed_tables();
  const std::vector<ExperimentFile> files = load_experiments(options);
  for (const ExperimentFile& file : files) check_published(file);
  std::vector<ValidatedTable> tables;
  const auto check = [&tables](const ExperimentFile& file, const std::vector<ResultRow>& rows) {
    tables.push_back({&file, checks_of(file, rows), stage_checks_of(file)});
  };
  Options prediction = options;
  prediction.quiet = options.quiet || options.markdown;
  const bool good = predict_files(files, prediction, terminal, check);
  if (options.json) {
    terminal.out << json_page(tables);
  } else if (options.markdown) {
    terminal.out << validation_page(tables);
  } else {
    const Detail detail = options.quiet     ? Detail::none
                          : options.summary ? Detail::tables
                                            : Detail::rows;
    terminal.out << text_page(tables, detail, terminal);
  }
  return good ? kDone : kPointFailed;
}

}  // namespace

CommandRow validate_command() {
  return {"validate",
          "[FILE...]",
          "predict the published tables and print the error of each row",
          {"--set", "-j", "--unfolded", "--summary", "--quiet", "--json", "--markdown"},
          validate,
          "",
          "",
          {},
          {{"--markdown", "print the page docs/validation.md"}}};
}

}  // namespace paceline
