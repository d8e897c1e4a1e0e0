// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "cli/collective_table.hpp"
#include "cli/shown_quantity.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

/// A curve of one source: what was measured, or else what is predicted.
struct Points {
  const CollectiveCurve* curve = nullptr;
  std::map<double, double> seconds;  ///< by size
  std::map<double, double> bus;      ///< by size
};

Points points_of(const CollectiveCurve& curve) {
  Points points;
  points.curve = &curve;
  const bool measured = std::any_of(curve.rows.begin(), curve.rows.end(), [](const ResultRow* row) {
    return row->source == Source::measured && row->usable();
  });
  for (const ResultRow* row : curve.rows) {
    if (row->source != (measured ? Source::measured : Source::predicted) || !row->usable())
      continue;
    const double size = (*row->point->experiment.workload)->size().value();
    points.seconds[size] = row->measurement.iteration_mean.value_or(0);
    points.bus[size] = row->measurement.bus_bandwidth.value_or(0);
  }
  return points;
}

/// "all-reduce by ring, 8 ranks on dgx1-v100: 79.08 GB/s of bus bandwidth at 1 GiB, half of it from
/// 2 MiB on; 35 us at 8 B."
std::string shape_of(const Points& points) {
  const auto most =
      std::max_element(points.bus.begin(), points.bus.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = points.curve->name + ": " + shown(BytesPerSecond{most->second}) +
                     " of bus bandwidth at " + Value<Bytes>::write(Bytes{most->first}).text;
  const auto half = std::find_if(points.bus.begin(), points.bus.end(), [&](const auto& point) {
    return point.second >= most->second / 2;
  });
  if (half->first < most->first)
    text += ", half of it from " + Value<Bytes>::write(Bytes{half->first}).text + " on";
  const auto& [size, seconds] = *points.seconds.begin();
  if (size < most->first)
    text += "; " + shown(Seconds{seconds}) + " at " + Value<Bytes>::write(Bytes{size}).text;
  return text + ".";
}

/// The rest of a curve's name after its algorithm: what makes curves comparable.
std::string comparable(const CollectiveCurve& curve) {
  const Experiment& experiment = curve.rows.front()->point->experiment;
  std::string key = std::to_string(static_cast<int>((*experiment.workload)->operation()));
  for (const SweptKey& swept : curve.rows.front()->point->swept) {
    const bool apart = swept.path == "workload.size" || swept.path == "workload.algorithm";
    if (!apart) key += "\n" + swept.path + "=" + swept.value;
  }
  return key;
}

/// "all-reduce"
std::string name_of(const WorkloadKind& workload) {
  return Value<Operation>::write(workload.operation()).text;
}

/// "from 1 KiB to 1 MiB" of the sizes for which one curve is the fastest; "" for all.
std::string range_of(double first, double last, bool begins, bool ends) {
  const std::string from = Value<Bytes>::write(Bytes{first}).text;
  const std::string to = Value<Bytes>::write(Bytes{last}).text;
  if (begins && ends) return "";
  if (begins) return " up to " + to;
  if (ends) return " from " + from + " on";
  return first == last ? " at " + from : " from " + from + " to " + to;
}

/// The swept keys that comparable curves have in common, and that distinguish them from other
/// curves: "on dgx1-v100".
std::string setting_of(const CollectiveCurve& curve, const SweptLabels& labels) {
  std::string text;
  for (const SweptKey& key : curve.rows.front()->point->swept) {
    const bool said = key.path == "workload.size" || key.path == "workload.algorithm" ||
                      key.path == "workload.op" || key.path == "workers";
    if (said) continue;
    text += (text.empty() ? "" : ", ") +
            (key.path == "machine" ? "on " + labels.of(key) : labels.named(key));
  }
  return text.empty() ? "" : " " + text;
}

/// "Fastest all-reduce, 8 ranks: halving-doubling up to 1 MiB, nccl from 64 MiB on."
std::string fastest_of(const std::vector<Points>& group, const SweptLabels& labels) {
  std::map<double, const Points*> winners;
  for (const Points& points : group) {
    for (const auto& [size, seconds] : points.seconds) {
      const Points*& best = winners[size];
      if (best == nullptr || seconds < best->seconds.at(size)) best = &points;
    }
  }
  const Experiment& experiment = group.front().curve->rows.front()->point->experiment;
  std::string text = "Fastest " + name_of(**experiment.workload) + ", " +
                     counted(experiment.workers, "rank") +
                     setting_of(*group.front().curve, labels) + ": ";
  bool begins = true;
  for (auto it = winners.begin(); it != winners.end();) {
    const Points* winner = it->second;
    const double first = it->first;
    double last = first;
    for (; it != winners.end() && it->second == winner; ++it) last = it->first;
    text += (begins ? "" : ", ") + winner->curve->label +
            range_of(first, last, begins, it == winners.end());
    begins = false;
  }
  return text + ".";
}

}  // namespace

std::vector<std::string> collective_findings(const std::vector<ResultRow>& rows,
                                             const SweptLabels& labels) {
  constexpr std::size_t kMostCurves = 8;
  const std::vector<CollectiveCurve> curves = collective_curves(rows, labels);
  std::vector<std::pair<std::string, std::vector<Points>>> groups;  // comparable curves
  for (const CollectiveCurve& curve : curves) {
    Points points = points_of(curve);
    if (points.seconds.empty()) continue;
    const std::string key = comparable(curve);
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& group) { return group.first == key; });
    if (known == groups.end()) known = groups.insert(groups.end(), {key, {}});
    known->second.push_back(std::move(points));
  }
  std::vector<std::string> sentences;
  for (const auto& [key, group] : groups) {
    if (group.size() > 1) sentences.push_back(fastest_of(group, labels));
  }
  for (const auto& [key, group] : groups) {
    if (curves.size() > kMostCurves) break;
    for (const Points& points : group) sentences.push_back(shape_of(points));
  }
  return sentences;
}

}  // namespace paceline
