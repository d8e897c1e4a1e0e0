// SPDX-License-Identifier: MIT
#include "cli/collective_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "cli/comparison.hpp"
#include "cli/library_calls.hpp"

namespace paceline {
namespace {

std::string printed(const char* format, double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

/// Time (us), algbw and busbw (GB/s); or why there are none, as the first.
std::array<std::string, 3> figures(const ResultRow* row) {
  if (row == nullptr) return {"-", "", ""};
  const Measurement& of = row->measurement;
  if (!row->usable() || !of.throughput) return {of.status, "", ""};
  const double time = of.iteration_mean.value_or(0) * 1e6;
  return {printed(time < 1e5 ? "%.2f" : "%.0f", time), printed("%.2f", *of.throughput / 1e9),
          printed("%.2f", of.bus_bandwidth.value_or(0) / 1e9)};
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

/// The figures in 26 columns.
std::string aligned(const std::array<std::string, 3>& figures) {
  constexpr std::size_t kWidth = 26;
  const auto& [time, algbw, busbw] = figures;
  const std::string text =
      algbw.empty() ? time : right(time, 10) + right(algbw, 8) + right(busbw, 8);
  return text.size() < kWidth ? right(text, kWidth) : " " + text;
}

/// The rows of a curve's points, by source.
using BySource = std::map<Source, const ResultRow*>;

std::vector<BySource> points_of(const CollectiveCurve& curve) {
  std::map<std::size_t, BySource> points;
  for (const ResultRow* row : curve.rows) points[row->index][row->source] = row;
  std::vector<BySource> all;
  for (const auto& [index, sources] : points) all.push_back(sources);
  return all;
}

const ResultRow* of(const BySource& sources, Source source) {
  const auto found = sources.find(source);
  return found == sources.end() ? nullptr : found->second;
}

const char* title_of(Source source) {
  return source == Source::published ? "nccl-tests" : name_of(source);
}

std::string error_of_point(const BySource& sources, Source observed) {
  const ResultRow* predicted = of(sources, Source::predicted);
  const ResultRow* other = of(sources, observed);
  if (predicted == nullptr || other == nullptr) return "";
  const auto error = error_of(*predicted, *other);
  return error ? percent(*error) : "";
}

std::vector<Source> sources_of(const CollectiveCurve& curve) {
  std::vector<Source> sources;
  for (const Source source : {Source::predicted, Source::measured, Source::published}) {
    const bool has = std::any_of(curve.rows.begin(), curve.rows.end(),
                                 [&](const ResultRow* row) { return row->source == source; });
    if (has) sources.push_back(source);
  }
  return sources;
}

double size_of(const BySource& point) {
  return (*point.begin()->second->point->experiment.workload)->size().value();
}

/// How NCCL carries out the call of each of the points; empty where it does not.
std::vector<std::string> choices_of(const std::vector<BySource>& points) {
  std::vector<double> sizes;
  for (const BySource& point : points) sizes.push_back(size_of(point));
  const ResultRow* first = points.empty() ? nullptr : of(points.front(), Source::predicted);
  if (first == nullptr || !first->usable()) return {};
  return nccl_choices(*first->point, sizes);
}

constexpr const char* kChoice = "NCCL: algorithm, protocol, channels";

std::string markdown_of(const CollectiveCurve& curve) {
  const std::vector<Source> sources = sources_of(curve);
  const bool errors = sources.size() > 1 && sources.front() == Source::predicted;
  std::vector<TextColumn> columns{{"size (B)", true}};
  for (const Source source : sources) {
    const std::string title = title_of(source);
    columns.push_back({title + ": time (us)", true});
    columns.push_back({"algbw (GB/s)", true});
    columns.push_back({"busbw (GB/s)", true});
    if (errors && source != sources.front()) columns.push_back({"error of algbw", true});
  }
  const std::vector<BySource> points = points_of(curve);
  const std::vector<std::string> choices = choices_of(points);
  if (!choices.empty()) columns.push_back({kChoice});
  std::vector<std::vector<std::string>> rows;
  for (const BySource& point : points) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(printed("%.0f", size_of(point)));
    for (const Source source : sources) {
      const std::array<std::string, 3> cells = figures(of(point, source));
      row.insert(row.end(), cells.begin(), cells.end());
      if (errors && source != sources.front()) row.push_back(error_of_point(point, source));
    }
    if (!choices.empty()) row.push_back(choices[rows.size() - 1]);
  }
  return curve.name + ":\n" + text_table(columns, rows, TableStyle::markdown);
}

std::string table_of(const CollectiveCurve& curve) {
  const std::vector<Source> sources = sources_of(curve);
  std::string heads = "#" + std::string(47, ' ');
  std::string names = "#       size         count    type  redop   root";
  std::string units = "#        (B)    (elements)                      ";
  for (const Source source : sources) {
    heads += right(title_of(source), 26);
    names += "      time   algbw   busbw";
    units += "      (us)  (GB/s)  (GB/s)";
  }
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (sources.front() != Source::predicted) break;
    heads += right("error", 9);
    names += right(i == 1 ? "of algbw" : "", 9);
  }
  const std::vector<BySource> points = points_of(curve);
  const std::vector<std::string> choices = choices_of(points);
  if (!choices.empty()) names += std::string("  ") + kChoice;
  std::string text = "# " + curve.name + "\n" + heads + "\n" + names + "\n" + units + "\n";
  for (std::size_t at = 0; at < points.size(); ++at) {
    const BySource& point = points[at];
    const WorkloadKind& workload = **point.begin()->second->point->experiment.workload;
    const Operation operation = workload.operation();
    const double size = size_of(point);
    text += right(printed("%.0f", size), 12) + right(printed("%.0f", size / 4), 14) +
            right("float", 8) + right(sums(operation) ? "sum" : "none", 7) +
            right(std::to_string(root_of(operation)), 7);
    for (const Source source : sources) text += aligned(figures(of(point, source)));
    for (std::size_t i = 1; i < sources.size(); ++i)
      text += right(error_of_point(point, sources[i]), 9);
    if (!choices.empty()) text += "  " + choices[at];
    text += "\n";
  }
  return text;
}

/// The algorithm, as far as it is swept.
std::string label_of(const ExperimentPoint& point, const SweptLabels& labels) {
  for (const SweptKey& key : point.swept) {
    if (key.path == "workload.algorithm") return labels.of(key);
  }
  return (*point.experiment.workload)->name();
}

}  // namespace

bool are_collectives(const std::vector<ResultRow>& rows) {
  return !rows.empty() && rows.front().point->experiment.workload.has_value();
}

std::vector<CollectiveCurve> collective_curves(const std::vector<ResultRow>& rows,
                                               const SweptLabels& labels) {
  std::vector<CollectiveCurve> curves;
  for (const ResultRow& row : rows) {
    if (row.source == Source::theory) continue;
    const Experiment& experiment = row.point->experiment;
    std::string name = (*experiment.workload)->name() + ", " + std::to_string(experiment.workers) +
                       (experiment.workers == 1 ? " rank on " : " ranks on ") +
                       (row.point->machine ? row.point->machine_name() : "this computer");
    for (const SweptKey& key : row.point->swept) {
      const bool named = key.path == "workload.size" || key.path == "workload.op" ||
                         key.path == "workers" || key.path == "machine";
      // a bare algorithm is in the name; its keys are not
      const bool bare =
          key.path == "workload.algorithm" && key.value.find('{') == std::string::npos;
      if (!named && !bare) name += ", " + labels.named(key);
    }
    auto known = std::find_if(curves.begin(), curves.end(),
                              [&](const CollectiveCurve& curve) { return curve.name == name; });
    if (known == curves.end()) {
      known = curves.insert(curves.end(), {name, label_of(*row.point, labels), {}});
    }
    known->rows.push_back(&row);
  }
  return curves;
}

std::string collective_tables(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                              TableStyle style) {
  std::string text;
  for (const CollectiveCurve& curve : collective_curves(rows, labels)) {
    text += (text.empty() ? "" : "\n") +
            (style == TableStyle::markdown ? markdown_of(curve) : table_of(curve));
  }
  return text;
}

}  // namespace paceline
