// SPDX-License-Identifier: MIT
#include "cli/explained_point.hpp"

#include <algorithm>
#include <tuple>

#include "cli/probe.hpp"
#include "cli/swept_labels.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostCompared = 8;
constexpr double kWorthSaying = 1e-3;        // relative gain; less is not mentioned
constexpr std::int64_t kMiniBatches = 4000;  // per compared point, over all workers

/// True for keys of the policies: they determine how workers cooperate, not their task.
bool is_policy(const std::string& path) {
  return path == "update" || path.starts_with("update.") || path == "aggregation" ||
         path.starts_with("aggregation.");
}

std::string policy_of(const ExperimentPoint& point, const SweptLabels& labels) {
  std::vector<std::string> values;
  for (const SweptKey& key : point.swept) {
    if (is_policy(key.path)) values.push_back(labels.of(key));
  }
  return join(values, " with ");
}

/// True if two points differ only in their policies.
bool comparable(const ExperimentPoint& a, const ExperimentPoint& b) {
  for (std::size_t i = 0; i < a.swept.size(); ++i) {
    if (!is_policy(a.swept[i].path) && a.swept[i].value != b.swept[i].value) return false;
  }
  return true;
}

double throughput_of(const ExperimentPoint& point, Device device, const Profile* profile) {
  const std::int64_t rounds = std::max<std::int64_t>(10, kMiniBatches / point.experiment.workers);
  return Probe(point, device, profile, rounds).with({}).throughput;
}

}  // namespace

ExplainedPoint choose_point(const ExperimentFile& file, Device device, const Profile* profile) {
  const auto predictable = [&](const ExperimentPoint& point) {
    return not_predictable(point, device, profile).empty();
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i < file.points.size(); ++i) {
    const auto rank = [&](const ExperimentPoint& point) {
      return std::tuple(predictable(point), point.experiment.workers, point.beside.size());
    };
    if (rank(file.points[i]) > rank(file.points[first])) first = i;
  }
  ExplainedPoint chosen{&file.points[first], first, ""};
  std::vector<std::size_t> compared;
  for (std::size_t i = first; i < file.points.size(); ++i) {
    const ExperimentPoint& point = file.points[i];
    const bool alike = point.experiment.workers == chosen.point->experiment.workers &&
                       comparable(point, *chosen.point);
    if (alike && predictable(point) && can_probe(point)) compared.push_back(i);
  }
  if (compared.size() < 2 || compared.size() > kMostCompared) return chosen;
  std::vector<double> speeds;
  for (const std::size_t i : compared) {
    speeds.push_back(throughput_of(file.points[i], device, profile));
  }
  const auto best =
      static_cast<std::size_t>(std::max_element(speeds.begin(), speeds.end()) - speeds.begin());
  // compares with the first point of the file, or with the second if the first is the fastest
  const std::size_t base = best == 0 ? 1 : 0;
  if (speeds[base] <= 0) return chosen;
  const ExperimentPoint& fastest = file.points[compared[best]];
  const double gain = speeds[best] / speeds[base] - 1;
  if (gain < kWorthSaying) return chosen;
  const std::string unit = " " + fastest.network->item + "/sec";
  chosen = {&fastest, compared[best], ""};
  const SweptLabels labels(file.points);
  chosen.comparison =
      "at " + counted(fastest.experiment.workers, "worker") + " " + policy_of(fastest, labels) +
      (compared.size() > 2 ? " is the fastest of " + std::to_string(compared.size()) + ", "
                           : " is ") +
      significant(100 * gain, 2) + " % " + (compared.size() > 2 ? "above " : "faster than ") +
      policy_of(file.points[compared[base]], labels) + " (" + significant(speeds[best], 4) +
      " against " + significant(speeds[base], 4) + unit + ")";
  return chosen;
}

std::string place_of(const ExplainedPoint& chosen, const ExperimentFile& file) {
  if (file.points.size() < 2) return "";
  std::vector<std::string> keys;
  for (const SweptKey& key : chosen.point->swept) keys.push_back(key.path + "=" + key.value);
  return "point " + std::to_string(chosen.index + 1) + " of " + std::to_string(file.points.size()) +
         ": " + join(keys);
}

}  // namespace paceline
