// SPDX-License-Identifier: MIT
#include "cli/validation_page.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "cli/assumptions.hpp"
#include "cli/comparison.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

constexpr double kLarge = 0.15;  ///< an error that a sentence must explain

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + (cell.empty() ? "|" : " |");
  return line + "\n";
}

std::string two_digits(double value) {
  return significant(value, 2);
}

/// The cells of a sample's statistics: rows, median, 95th percentile, bias, rank correlation.
std::vector<std::string> cells_of(const CheckStatistics& of) {
  if (of.rows == 0) return {"0", "", "", "", ""};
  return {std::to_string(of.rows), percent_size(of.median), percent_size(of.p95), percent(of.bias),
          of.rank ? two_digits(*of.rank) : ""};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& cells) {
  to.insert(to.end(), cells.begin(), cells.end());
}

std::string summary_row(const std::string& name, const std::vector<PublishedCheck>& checks) {
  std::vector<std::string> cells{name};
  append(cells, cells_of(statistics_of(checks, Sample::outside)));
  const CheckStatistics inside = statistics_of(checks, Sample::inside);
  append(cells, inside.rows == 0 ? std::vector<std::string>{"0", "", ""}
                                 : std::vector<std::string>{std::to_string(inside.rows),
                                                            percent_size(inside.median),
                                                            percent_size(inside.p95)});
  const CheckStatistics all = statistics_of(checks, Sample::all);
  append(cells, all.perfect_rows == 0 ? std::vector<std::string>{"", ""}
                                      : std::vector<std::string>{percent_size(all.perfect_median),
                                                                 percent_size(all.perfect_p95)});
  return row(cells);
}

/// The anchor of a heading, as GitHub makes it of a name in lower case.
std::string anchor_of(std::string name) {
  std::erase(name, '.');
  return name;
}

std::string summary_table(const std::vector<ValidatedTable>& tables) {
  std::string text = row({"table", "rows", "median", "95th", "bias", "rank", "fitted rows",
                          "median", "95th", "perfect scaling: median", "95th"}) +
                     "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  std::vector<PublishedCheck> all;
  for (const auto& [file, checks, stages] : tables) {
    text += summary_row("[" + file->name + "](#" + anchor_of(file->name) + ")", checks);
    all.insert(all.end(), checks.begin(), checks.end());
  }
  return text + summary_row("**all**", all);
}

/// Fitted constants by their names, with their sources.
std::map<std::string, std::string> constants_of(const std::vector<ValidatedTable>& tables) {
  std::map<std::string, std::string> constants;
  for (const auto& [file, checks, stages] : tables) {
    for (const ExperimentPoint& point : file->points) {
      const Software& software = *point.software;
      for (const auto& [key, how] : point.experiment.published->constants)
        constants[file->name + ": " + key] = how;
      for (const std::string& key : software.fitted) {
        const auto source = software.sources.find(key);
        constants["software " + to_flow(point.experiment.software) + ": " + key] =
            source == software.sources.end() ? "" : source->second;
      }
    }
    for (const PublishedCheck& check : checks) {
      const auto& machine = check.point->machine;
      if (!machine || machine->gpu_count() == 0) continue;
      const GpuSpec& gpu = machine->gpu(0);
      const auto clock = gpu.sources.find("board_clock");
      if (clock != gpu.sources.end())
        constants["board clock of " + gpu.name + ", " +
                  Value<Percent>::write(gpu.board_clock).text] = clock->second;
      if (check.source != "efficiency") continue;
      const auto add = [&](const char* name, const std::optional<Efficiency>& share) {
        if (share && share->source.starts_with("fitted")) {
          std::string what = std::string("efficiency of ") + name + ", " +
                             Value<Percent>::write(share->share).text;
          if (share->half_depth > 0) what += ", half depth " + print_number(share->half_depth);
          constants[what] = share->source;
        }
      };
      add("fp32", gpu.efficiency.fp32);
      add("tf32", gpu.efficiency.tf32);
      add("fp16", gpu.efficiency.fp16);
      add("memory", gpu.efficiency.memory);
      add("passes", gpu.efficiency.passes);
    }
  }
  return constants;
}

std::string table_of(const ValidatedTable& table) {
  const SweptLabels labels(table.file->points);
  std::string text = row({"point", "published", "predicted", "error", "sample", "perfect scaling",
                          "source of arithmetic"}) +
                     "|---|--:|--:|--:|---|--:|---|\n";
  for (const PublishedCheck& check : table.checks) {
    text += row({name_of(*check.point, labels), significant(check.published, 4),
                 check.predicted > 0 ? significant(check.predicted, 4) : "failed",
                 check.calibration ? "sets the cost"
                 : check.error     ? percent(*check.error)
                                   : "",
                 check.calibration ? ""
                 : check.in_sample ? "in"
                                   : "out",
                 check.perfect ? percent(*check.perfect) : "", check.source});
  }
  return text;
}

std::string notes_of(const ValidatedTable& table) {
  const SweptLabels labels(table.file->points);
  std::string text;
  for (const PublishedCheck& check : table.checks) {
    if (!check.counted() || std::fabs(*check.error) <= kLarge) continue;
    const std::string& note = check.point->published->note;
    text += "- " + name_of(*check.point, labels) + ", " + percent(*check.error) + ": " +
            (note.empty() ? "not explained" : note) + ".\n";
  }
  return text.empty() ? "" : "\nErrors above 15 %:\n\n" + text;
}

std::string sources_of(const ValidatedTable& table) {
  std::set<std::string> sources;
  for (const PublishedCheck& check : table.checks) sources.insert(check.point->published->source);
  std::string text;
  for (const std::string& source : sources) text += (text.empty() ? "" : "; ") + source;
  return "Source: " + text + "\n";
}

/// The stages of a profiled step with their source and note; "" without a profile.
std::string stages_of(const ValidatedTable& table) {
  if (table.stages.empty()) return "";
  const PublishedRow& first = *table.stages.front().point->profiled;
  return "\nStages of a profiled step, as shares of their sum (" + first.source + "):\n" +
         stage_table(table.stages, SweptLabels(table.file->points), TableStyle::markdown) +
         (first.note.empty() ? "" : first.note + ".\n");
}

}  // namespace

std::string validation_page(const std::vector<ValidatedTable>& tables) {
  std::string page =
      "# Validation against published tables\n\n"
      "Made by `paceline validate --markdown > docs/validation.md`. Errors are (predicted - "
      "published) / published\nthroughput. A row is *in* sample if some constant was fitted on it, "
      "else *out*. A row that sets the cost\nof arithmetic is not counted. Bias is the "
      "median of the errors, rank is Spearman's correlation of published and\npredicted, perfect "
      "scaling is the number of workers times a worker's share of the row that sets the cost.\n"
      "Where the input is not described, items are taken to be there, which bounds a prediction "
      "from above.\n\n" +
      summary_table(tables) + "\n## Fitted constants\n\n";
  for (const auto& [name, source] : constants_of(tables)) {
    page += "- " + name + ": " + source + "\n";
  }
  page +=
      "- products on every GPU: the tail of the last wave and the gain of transforms, "
      "sim/costs/kernel_time.cpp: same rows as the efficiencies\n"
      "- NCCL 2: eight for each generation of NVLink, fitted on curves of time against size: "
      "[collectives](collectives.md#nccl)\n";
  for (const ValidatedTable& table : tables) {
    page += "\n## " + table.file->name + "\n\n" +
            (table.file->question.empty() ? "" : table.file->question + "\n\n") +
            sources_of(table) + "\nInput: " + inputs_in_words(*table.file) + "\n\n" +
            table_of(table) + notes_of(table) + stages_of(table);
  }
  return page;
}

}  // namespace paceline
