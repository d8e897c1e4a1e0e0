// SPDX-License-Identifier: MIT
#include "cli/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "cli/text_table.hpp"

namespace paceline {
namespace {

/// The rows of one point, by source; null: none.
using PointRows = std::array<const ResultRow*, 4>;

const ResultRow* of(const PointRows& rows, Source source) {
  return rows[static_cast<std::size_t>(source)];
}

std::vector<PointRows> by_point(const std::vector<ResultRow>& rows) {
  std::map<std::size_t, PointRows> points;
  for (const ResultRow& row : rows) {
    points[row.index][static_cast<std::size_t>(row.source)] = &row;
  }
  std::vector<PointRows> all;
  all.reserve(points.size());
  for (const auto& [index, sources] : points) all.push_back(sources);
  return all;
}

const ExperimentPoint& point_of(const PointRows& rows) {
  return *(*std::find_if(rows.begin(), rows.end(), [](auto row) { return row != nullptr; }))->point;
}

/// "mean +/- uncertainty (jitter)", as benchmark users expect; else why there is none.
std::string throughput(const ResultRow* row) {
  if (row == nullptr) return "";
  if (!row->usable()) return row->measurement.status;
  const Measurement& measurement = row->measurement;
  if (!measurement.throughput) return "";
  std::string text = significant(*measurement.throughput, 4);
  if (measurement.throughput_stderr) {
    text += " +/- " + significant(*measurement.throughput_stderr, 2);
  }
  // where updates come in bursts their own rates say nothing: some take hardly any time
  const auto& jitter = measurement.throughput_jitter;
  if (jitter && *jitter > 0 && *jitter < *measurement.throughput) {
    text += " (" + significant(*jitter, 2) + ")";
  }
  return text;
}

std::string error_cell(const PointRows& rows, Source observed) {
  const ResultRow* predicted = of(rows, Source::predicted);
  const ResultRow* other = of(rows, observed);
  if (predicted == nullptr || other == nullptr) return "";
  const std::optional<double> error = error_of(*predicted, *other);
  return error ? percent(*error) : "";
}

/// Swept keys that the first columns do not show already.
std::vector<std::string> other_swept(const ExperimentPoint& point) {
  std::vector<std::string> paths;
  for (const SweptKey& key : point.swept) {
    const std::string top = key.path.substr(0, key.path.find('.'));
    const bool shown = key.path == "model" || top == "update" || key.path == "aggregation" ||
                       key.path == "workers";
    if (!shown) paths.push_back(key.path);
  }
  return paths;
}

std::string swept_value(const ExperimentPoint& point, const std::string& path) {
  for (const SweptKey& key : point.swept) {
    if (key.path == path) return key.value;
  }
  return "";
}

std::string update_cell(const ExperimentPoint& point) {
  const std::string update = point.update_name();
  const bool implied = update.empty() || update == "sync" || update == "async";
  return implied ? update : update + " (" + std::to_string(point.k()) + ")";
}

/// The aggregation's kind; all of it where kinds alone would not tell the points apart.
std::string aggregation_cell(const ExperimentPoint& point, bool whole) {
  const std::string swept = whole ? swept_value(point, "aggregation") : "";
  return swept.empty() ? point.experiment.aggregation.kind() : swept;
}

bool kinds_are_ambiguous(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::string> seen;  // kind -> the swept value
  return std::any_of(rows.begin(), rows.end(), [&](const ResultRow& row) {
    const std::string value = swept_value(*row.point, "aggregation");
    const auto [known, added] = seen.emplace(row.point->experiment.aggregation.kind(), value);
    return known->second != value;
  });
}

std::string short_name(const ExperimentPoint& point) {
  std::string text = point.network->name;
  if (const std::string update = update_cell(point); !update.empty()) text += ", " + update;
  return text + ", " + std::to_string(point.experiment.workers) + " workers";
}

std::string verdict(const std::vector<PointRows>& points, Source observed) {
  std::vector<double> sizes;
  double worst = 0;
  std::string where;
  for (const PointRows& rows : points) {
    const ResultRow* predicted = of(rows, Source::predicted);
    const ResultRow* other = of(rows, observed);
    if (predicted == nullptr || other == nullptr) continue;
    const std::optional<double> error = error_of(*predicted, *other);
    if (!error) continue;
    sizes.push_back(std::fabs(*error));
    if (sizes.size() == 1 || std::fabs(*error) > std::fabs(worst)) {
      worst = *error;
      where = short_name(*predicted->point);
    }
  }
  if (sizes.empty()) return "";
  const std::string count =
      std::to_string(sizes.size()) + (sizes.size() == 1 ? " point" : " points");
  return "predicted against " + std::string(name_of(observed)) + " (" + count +
         "): median |error| " + percent(quantile_of(sizes, 0.5)).substr(1) + ", 95th percentile " +
         percent(quantile_of(sizes, 0.95)).substr(1) + ", worst " + percent(worst) + " (" + where +
         ")\n";
}

/// "images/sec" where all points count the same.
std::string unit_of(const std::vector<ResultRow>& rows) {
  std::set<std::string> items;
  for (const ResultRow& row : rows) items.insert(row.point->network->item);
  return (items.size() == 1 ? *items.begin() : "items") + "/sec";
}

}  // namespace

std::optional<double> error_of(const ResultRow& predicted, const ResultRow& observed) {
  const auto& mine = predicted.measurement.iteration_mean;
  const auto& other = observed.measurement.iteration_mean;
  if (!predicted.usable() || !observed.usable() || !mine || !other || *other <= 0) {
    return std::nullopt;
  }
  return (*mine - *other) / *other;
}

std::string percent(double fraction) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * std::clamp(fraction, -1e9, 1e9));
  return text.data() == std::string_view("-0.0 %") ? "+0.0 %" : text.data();
}

std::string comparison_table(const std::vector<ResultRow>& rows) {
  const std::vector<PointRows> points = by_point(rows);
  if (points.empty()) return "";
  const std::vector<std::string> swept = other_swept(point_of(points.front()));
  const std::string unit = unit_of(rows);
  const bool whole = kinds_are_ambiguous(rows);
  std::vector<TextColumn> columns{{"model"}, {"update (k)"}, {"aggregation"}, {"workers", true}};
  for (const std::string& path : swept) columns.push_back({path});
  for (const char* source : {"predicted", "measured", "published"}) {
    columns.push_back({source + std::string(" ") + unit, true});
  }
  columns.push_back({"error", true});
  columns.push_back({"to published", true});
  std::vector<std::vector<std::string>> cells;
  for (const PointRows& point : points) {
    const ExperimentPoint& of_point = point_of(point);
    std::vector<std::string> row{of_point.network->name, update_cell(of_point),
                                 aggregation_cell(of_point, whole),
                                 std::to_string(of_point.experiment.workers)};
    for (const std::string& path : swept) row.push_back(swept_value(of_point, path));
    for (const Source source : {Source::predicted, Source::measured, Source::published}) {
      row.push_back(throughput(of(point, source)));
    }
    row.push_back(error_cell(point, Source::measured));
    row.push_back(error_cell(point, Source::published));
    cells.push_back(std::move(row));
  }
  std::string out = text_table(columns, cells);
  const std::string verdicts =
      verdict(points, Source::measured) + verdict(points, Source::published);
  if (!verdicts.empty()) {
    out += "\nmean +/- standard error over repeats (jitter); errors are of the iteration time\n";
  }
  return out + verdicts;
}

}  // namespace paceline
