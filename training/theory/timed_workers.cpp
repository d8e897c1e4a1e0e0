// SPDX-License-Identifier: MIT
#include "training/theory/timed_workers.hpp"

#include <algorithm>
#include <map>

#include "training/theory/order_statistic.hpp"

namespace paceline {
namespace {

/// The delay that only this worker has; null if there is none.
const Straggler* own_delay(const Stragglers& stragglers, int worker) {
  const auto found = stragglers.workers.find(worker);
  return found == stragglers.workers.end() ? nullptr : found->second.delay.part().get();
}

/// Whether each worker's time has one distribution: where all workers have a delay, a worker's own
/// delay must be a constant that is added to it.
bool one_law(int count, const Stragglers& stragglers) {
  if (!stragglers.compute) return true;
  for (int worker = 0; worker < count; ++worker) {
    const Straggler* const own = own_delay(stragglers, worker);
    if (own == nullptr) continue;
    const bool constant = own->shape().low == own->shape().high;
    const bool added =
        own->applies == Applies::added && stragglers.compute->applies == Applies::added;
    if (!constant || !added) return false;
  }
  return true;
}

}  // namespace

std::optional<TimedWorkers> TimedWorkers::of(int count, Seconds compute,
                                             const Stragglers& stragglers) {
  if (stragglers.failures || !one_law(count, stragglers)) return std::nullopt;
  TimedWorkers workers(count, compute, stragglers);
  if (workers.x().shape().high == Seconds{0}) return std::nullopt;
  return workers;
}

TimedWorkers::TimedWorkers(int count, Seconds compute, const Stragglers& stragglers)
    : count_(count) {
  // A slowdown multiplies only arithmetic; without arithmetic it makes no difference.
  const auto arithmetic_of = [&](int worker) {
    return compute == Seconds{0} ? compute : compute * stragglers.slowdown(worker);
  };
  const Straggler* const of_all = stragglers.compute.part().get();
  std::map<Seconds, int> alike;  // by arithmetic, without a delay of their own
  for (int worker = 0; worker < count; ++worker) {
    const Straggler* const own = own_delay(stragglers, worker);
    if (own == nullptr) {
      ++alike[arithmetic_of(worker)];
    } else if (of_all == nullptr) {
      groups_.push_back({StepTime(arithmetic_of(worker), own), 1});
    } else {
      groups_.push_back({StepTime(arithmetic_of(worker) + own->mean(), of_all), 1});
    }
  }
  std::vector<AlikeWorkers> first;
  for (const auto& [arithmetic, workers] : alike) {
    first.push_back({StepTime(arithmetic, of_all), workers});
  }
  groups_.insert(groups_.begin(), first.begin(), first.end());
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
