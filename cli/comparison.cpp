// SPDX-License-Identifier: MIT
#include "cli/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "cli/assumptions.hpp"
#include "cli/colour.hpp"

namespace paceline {
namespace {

/// Jitter below this share of the throughput is of the rounding to picoseconds; the throughput has
/// four digits.
constexpr double kRounding = 1e-6;

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

/// "mean +/- uncertainty (jitter)", as benchmark users expect, or the reason for its absence.
std::string throughput(const ResultRow* row) {
  if (row == nullptr) return "";
  if (!row->usable()) return row->measurement.status;
  const Measurement& measurement = row->measurement;
  if (!measurement.throughput) return "";
  std::string text = significant(*measurement.throughput, 4);
  if (measurement.throughput_stderr) {
    text += " +/- " + significant(*measurement.throughput_stderr, 2);
  }
  const auto& jitter = measurement.throughput_jitter;
  if (jitter && *jitter > kRounding * *measurement.throughput)
    text += " (" + significant(*jitter, 2) + ")";
  return text;
}

std::string error_against(const PointRows& rows, Source observed, bool colour) {
  const ResultRow* predicted = of(rows, Source::predicted);
  const ResultRow* other = of(rows, observed);
  if (predicted == nullptr || other == nullptr) return "";
  const std::optional<double> error = error_of(*predicted, *other);
  return error ? error_cell(*error, colour) : "";
}

/// The row that gives the scaling in the table: the measured one if it exists.
const ResultRow* best_known(const PointRows& rows) {
  for (const Source source : {Source::measured, Source::predicted, Source::theory}) {
    if (of(rows, source) != nullptr && of(rows, source)->speedup) return of(rows, source);
  }
  return nullptr;
}

/// Whether `k` is a key of the point's policy. The name of any other policy implies its K.
bool has_k(const ExperimentPoint& point) {
  if (!point.experiment.update) return false;
  const std::vector<KeyInfo> keys = point.experiment.update->row()->keys();
  return std::any_of(keys.begin(), keys.end(), [](const KeyInfo& key) { return key.name == "k"; });
}

/// The text of a swept value in a cell; for an update with a key `k`, its name and K.
std::string swept_cell(const ExperimentPoint& point, const SweptKey& key,
                       const SweptLabels& labels) {
  const std::string& label = labels.of(key);
  if (key.path != "update" || !has_k(point)) return label;
  return point.update_name() + " k=" + std::to_string(point.k());
}

}  // namespace

std::optional<double> error_of(const ResultRow& predicted, const ResultRow& observed) {
  const auto& mine = predicted.measurement.throughput;
  const auto& other = observed.measurement.throughput;
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

std::string percent_size(double fraction) {
  return percent(std::fabs(fraction)).substr(1);
}

std::string ratio_text(double ratio) {
  return significant(ratio, 3) + " x";
}

std::string error_cell(double error, bool colour) {
  constexpr double kLarge = 0.1;
  return coloured(percent(error), Colour::red, colour && std::fabs(error) > kLarge);
}

std::string items_of(const std::vector<ResultRow>& rows) {
  std::set<std::string> items;
  for (const ResultRow& row : rows) items.insert(row.point->network->item);
  return items.size() == 1 ? *items.begin() : "items";
}

std::string name_of(const ExperimentPoint& point, const SweptLabels& labels) {
  std::string text;
  std::string workers;
  for (const SweptKey& key : point.swept) {
    if (key.path == "workers") {
      workers = key.value + (key.value == "1" ? " worker" : " workers");
      continue;
    }
    text += (text.empty() ? "" : ", ") +
            (key.path == "update" ? swept_cell(point, key, labels) : labels.named(key));
  }
  if (workers.empty()) return text.empty() ? point.network->name : text;
  return text + (text.empty() ? "" : ", ") + workers;
}

std::string common_to(const std::vector<ResultRow>& rows) {
  const ExperimentPoint& first = *rows.front().point;
  const auto swept = [&](const std::string& key) {
    return std::any_of(first.swept.begin(), first.swept.end(), [&](const SweptKey& one) {
      return one.path == key || one.path.starts_with(key + ".");
    });
  };
  std::string text;
  // returns whether the value was added; a default may follow from a swept key and differ by row
  const auto add = [&](const std::string& key, const std::string& between, auto value_of) {
    const std::string value = value_of(first);
    const bool common = std::all_of(rows.begin(), rows.end(), [&](const ResultRow& row) {
      return row.point == &first || value_of(*row.point) == value;
    });
    if (swept(key) || value.empty() || !common) return false;
    text += (text.empty() ? "" : between) + value;
    return true;
  };
  using Point = ExperimentPoint;
  add("model", "", [](const Point& point) { return point.network->name; });
  add("machine", " ", [](const Point& point) {
    return "on " + (point.machine ? point.machine_name() : std::string("this computer"));
  });
  add("update", ", ", [](const Point& point) { return point.update_name(); });
  add("aggregation", ", ", aggregation_in_words);
  add("software", ", ", [](const Point& point) {
    const bool named = point.tree.find("software") != nullptr;
    return named ? to_flow(point.experiment.software) : std::string();
  });
  const bool batch = !swept("global_batch") && add("batch", ", ", [](const Point& point) {
    return point.experiment.workload ? "" : "batch " + std::to_string(point.experiment.batch);
  });
  if (!batch) {
    add("global_batch", ", ", [](const Point& point) {
      const auto& all = point.experiment.global_batch;
      return all ? "global batch " + std::to_string(*all) : std::string();
    });
  }
  add("precision", ", ", [](const Point& point) {
    const bool usual = point.experiment.precision == Precision::fp32;
    return usual ? std::string() : to_flow(*write_keys(point.experiment).find("precision"));
  });
  add("assumed", " ", [](const Point& point) {
    const std::string assumed = assumed_of(point);
    return assumed.empty() ? assumed : "(assumed: " + assumed + ")";
  });
  return text;
}

std::string comparison_table(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                             bool colour, TableStyle style) {
  const std::vector<PointRows> points = by_point(rows);
  if (points.empty()) return "";
  std::vector<TextColumn> columns;
  for (const SweptKey& key : point_of(points.front()).swept) {
    const bool number = std::all_of(points.begin(), points.end(), [&](const PointRows& point) {
      for (const SweptKey& other : point_of(point).swept) {
        if (other.path == key.path)
          return other.value.find_first_not_of("0123456789.") == std::string::npos;
      }
      return false;
    });
    columns.push_back({key.path, number});
  }
  if (columns.empty()) columns.push_back({"workers", true});
  for (const char* title : {"predicted", "measured", "published"}) columns.push_back({title, true});
  columns.push_back({"error", true});
  columns.push_back({"to published", true});
  columns.push_back({"speedup", true});
  columns.push_back({"efficiency", true});
  bool scales = false;
  std::vector<std::vector<std::string>> cells;
  for (const PointRows& point : points) {
    const ExperimentPoint& of_point = point_of(point);
    std::vector<std::string> row;
    for (const SweptKey& key : of_point.swept) row.push_back(swept_cell(of_point, key, labels));
    if (row.empty()) row.push_back(std::to_string(of_point.experiment.workers));
    for (const Source source : {Source::predicted, Source::measured, Source::published}) {
      row.push_back(throughput(of(point, source)));
    }
    row.push_back(error_against(point, Source::measured, colour));
    row.push_back(error_against(point, Source::published, colour));
    const ResultRow* known = best_known(point);
    if (known != nullptr) scales = scales || *known->base_workers != of_point.experiment.workers;
    row.push_back(known == nullptr ? "" : significant(*known->speedup, 3));
    row.push_back(known == nullptr ? "" : percent_size(*known->efficiency));
    cells.push_back(std::move(row));
  }
  if (!scales) {  // each point is its own base
    for (auto& row : cells) row[row.size() - 1].clear(), row[row.size() - 2].clear();
  }
  const bool repeated = std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) {
    return row.measurement.throughput_stderr.has_value();
  });
  return common_to(rows) + ": " + items_of(rows) + "/sec" +
         (repeated ? " as mean +/- standard error over repeats" : "") + " (jitter of updates)\n" +
         text_table(columns, cells, style);
}

}  // namespace paceline
