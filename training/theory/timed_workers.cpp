// SPDX-License-Identifier: MIT
#include "training/theory/timed_workers.hpp"

#include <algorithm>
#include <map>

#include "training/theory/order_statistic.hpp"

namespace paceline {

std::optional<TimedWorkers> TimedWorkers::of(int count, Seconds compute,
                                             const Stragglers& stragglers) {
  if (stragglers.failures) return std::nullopt;
  TimedWorkers workers(count, compute, stragglers);
  if (workers.x().shape().high == Seconds{0}) return std::nullopt;
  return workers;
}

TimedWorkers::TimedWorkers(int count, Seconds compute, const Stragglers& stragglers)
    : count_(count) {
  std::map<double, int> of_slowdown;
  for (int worker = 0; worker < count; ++worker) ++of_slowdown[stragglers.slowdown(worker)];
  // A slowdown multiplies only arithmetic; without arithmetic the workers are alike.
  if (compute == Seconds{0}) of_slowdown = {{1, count}};
  for (const auto& [slowdown, alike] : of_slowdown) {
    groups_.push_back({StepTime(compute * slowdown, stragglers.compute.part().get()), alike});
  }
}

bool TimedWorkers::memoryless() const {
  return all_alike() && x().shape().aging == Aging::memoryless;
}

bool TimedWorkers::by_chance() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const AlikeWorkers& group) {
    return group.x.shape().low != group.x.shape().high;
  });
}

std::optional<Seconds> TimedWorkers::first(int k) const {
  if (all_alike()) return expected_order_statistic(x(), k, count_);
  constexpr std::size_t kMostGroups = 128;  // with more, the quadrature takes seconds
  if (groups_.size() > kMostGroups) return std::nullopt;
  return expected_time_of_first(k, groups_);
}

std::optional<Seconds> TimedWorkers::between_any_two() const {
  double rate = 0;
  for (const AlikeWorkers& group : groups_) {
    const std::optional<Seconds> mean = group.x.mean();
    if (!mean) return std::nullopt;
    rate += group.count / mean->value();
  }
  return Seconds{1 / rate};
}

}  // namespace paceline
