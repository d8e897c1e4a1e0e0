// SPDX-License-Identifier: MIT
// The machines of an experiment beside each other: their speed, and what it costs.
#include <algorithm>
#include <map>

#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/experiment_run.hpp"
#include "cli/predicted_rows.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/json.hpp"

namespace paceline {
namespace {

/// A point on one of the machines. The first machine of its group is the one that others are
/// compared with.
struct Compared {
  std::string setting;  ///< swept keys without the machine's
  std::string machine;
  std::string item;
  std::optional<double> throughput;  ///< items/s
  std::optional<double> ratio;       ///< to the first machine
  std::optional<double> price;       ///< USD per hour, of the workers' GPUs
  std::string region;                ///< of the price; "" if unknown
  std::optional<double> per_dollar;  ///< items
};

bool is_machine(const SweptKey& key) {
  return key.path == "machine" || key.path.starts_with("machine.");
}

/// The names of the point's swept keys that are of the machine, or of all others.
std::string names_of(const ExperimentPoint& point, const SweptLabels& labels, bool machine) {
  std::string names;
  for (const SweptKey& key : point.swept) {
    if (is_machine(key) != machine) continue;
    const std::string name = machine ? labels.of(key) : labels.named(key);
    names += (names.empty() ? "" : machine ? " " : ", ") + name;
  }
  return names;
}

std::vector<Compared> compared(const ExperimentFile& file, const std::vector<ResultRow>& rows) {
  const SweptLabels labels(file.points);
  std::vector<Compared> all;
  std::map<std::string, double> first;
  for (const ResultRow& row : rows) {
    if (row.source != Source::predicted) continue;
    const ExperimentPoint& point = *row.point;
    Compared one;
    one.setting = names_of(point, labels, false);
    one.machine = names_of(point, labels, true);
    one.item = point.network->item;
    if (row.usable()) one.throughput = row.measurement.throughput;
    const int gpus = point.experiment.devices ? 1 : point.experiment.workers;
    if (point.machine) {
      if (const auto price = point.machine->price(gpus)) one.price = price->value();
      if (one.price) one.region = point.machine->region(gpus);
    }
    if (one.throughput) {
      one.ratio = *one.throughput / first.emplace(one.setting, *one.throughput).first->second;
      if (one.price && *one.price > 0) one.per_dollar = *one.throughput * 3600 / *one.price;
    }
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, {}, &Compared::setting);
  return all;
}

std::string table_of(const std::vector<Compared>& all, TableStyle style) {
  std::vector<std::vector<std::string>> rows;
  for (const Compared& one : all) {
    const auto cell = [](const std::optional<double>& value, int digits) {
      return value ? significant(*value, digits) : std::string();
    };
    rows.push_back({one.setting, one.machine, one.throughput ? cell(one.throughput, 4) : "failed",
                    cell(one.ratio, 3), cell(one.price, 3), one.region,
                    one.per_dollar ? thousands(*one.per_dollar, 3) : ""});
  }
  const std::string item = all.empty() ? "items" : all.front().item;
  return text_table({{"setting"},
                     {"machine"},
                     {item + "/s", true},
                     {"to the first", true},
                     {"USD/h", true},
                     {"region"},
                     {item + "/USD", true}},
                    rows, style);
}

/// The way to give an unknown price; "" where all are known.
std::string price_note(const std::vector<Compared>& all) {
  if (std::ranges::all_of(all, [](const Compared& one) { return one.price.has_value(); }))
    return "";
  return "Where the price is empty, the file of the machine or of its GPUs gives none (`price: 2.5 "
         "USD/h`, of one GPU).\n";
}

std::string json_of(const std::vector<Compared>& all) {
  std::vector<Tree> rows;
  for (const Compared& one : all) {
    Tree row = Tree::map();
    row.set("setting", Tree::quoted_scalar(one.setting));
    row.set("machine", Tree::quoted_scalar(one.machine));
    row.set("unit", Tree::quoted_scalar(one.item + "/s"));
    const auto set = [&row](const char* key, const std::optional<double>& value) {
      if (value) row.set(key, Tree::scalar(print_number(*value)));
    };
    set("throughput", one.throughput);
    set("ratio", one.ratio);
    set("price", one.price);
    if (!one.region.empty()) row.set("region", Tree::quoted_scalar(one.region));
    set("per_dollar", one.per_dollar);
    rows.push_back(std::move(row));
  }
  return to_json(Tree::list(std::move(rows)), 2) + "\n";
}

void check_machines(const ExperimentFile& file) {
  const auto& swept = file.points.front().swept;
  if (std::ranges::any_of(swept, is_machine)) return;
  throw SpecError(file.path +
                  ": error: the file names one machine, and there is nothing to compare "
                  "(name several: --set 'machine=[dgx1-p100, dgx1-v100]')");
}

int compare(const Options& options, const Terminal& terminal) {
  const std::vector<ExperimentFile> files = load_experiments(options);
  for (const ExperimentFile& file : files) check_machines(file);
  const TableStyle style = table_style(options.markdown);
  const auto print = [&](const ExperimentFile& file, const std::vector<ResultRow>& rows) {
    const std::vector<Compared> all = compared(file, rows);
    terminal.out << (options.json ? json_of(all)
                                  : page_of(table_of(all, style) + price_note(all), style));
  };
  return predict_files(files, options, terminal, print) ? kDone : kPointFailed;
}

}  // namespace

CommandRow compare_command() {
  return {"compare",
          "FILE...",
          "how much faster each machine of an experiment is, and per US dollar",
          {"--set", "--seed", "-j", "--quiet", "--json", "--markdown"},
          compare};
}

}  // namespace paceline
