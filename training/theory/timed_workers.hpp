// SPDX-License-Identifier: MIT
/// \file
/// The workers as theory models them: P independent distributions of a mini-batch's time. The only
/// input of a policy's theory.
#pragma once
#include <optional>
#include <vector>

#include "training/theory/unequal_workers.hpp"
#include "training/workload/stragglers/stragglers.hpp"

namespace paceline {

/// P workers, grouped by slowdown; one group if all are alike.
class TimedWorkers {
 public:
  /// `count` workers with arithmetic that takes `compute` without a slowdown. Empty if no theory
  /// holds: workers die, or nothing takes any time. `stragglers` must outlive the result.
  static std::optional<TimedWorkers> of(int count, Seconds compute, const Stragglers& stragglers);

  int count() const { return count_; }
  bool all_alike() const { return groups_.size() == 1; }
  /// X of the first group; X of every worker if all are alike.
  const StepTime& x() const { return groups_.front().x; }
  /// True if all are alike and the rest of a mini-batch has the distribution of a new one.
  bool memoryless() const;
  /// True if the mini-batches of a worker differ in length.
  bool by_chance() const;

  /// E[X_{k:P}]. Empty where it does not exist, or where the quadrature would take seconds.
  std::optional<Seconds> first(int k) const;
  /// The mean time between two mini-batches of any workers where no worker ever waits: by the
  /// elementary renewal theorem, worker i completes one every E[X_i] on average, whatever the
  /// distribution. Empty where an E[X_i] does not exist.
  std::optional<Seconds> between_any_two() const;

 private:
  TimedWorkers(int count, Seconds compute, const Stragglers& stragglers);

  int count_;
  std::vector<AlikeWorkers> groups_;
};

}  // namespace paceline
