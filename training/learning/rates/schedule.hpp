// SPDX-License-Identifier: MIT
/// \file
/// Schedules: the learning rate as a function of training progress. A new schedule is one file in
/// schedules/ and one row in schedule.cpp.
#pragma once
#include <optional>

#include "experiments/language/family.hpp"
#include "training/workload/training_length.hpp"

namespace paceline {

/// Training progress, counted in applied work.
struct Progress {
  double rounds = 0;             ///< mini-batches applied, per worker
  std::optional<double> epochs;  ///< items applied / items of an epoch, where an epoch is known
  double items_per_update = 0;   ///< the effective batch: items of the gradients in one update
};

/// The share of `length` that has passed, above 1 after its end. Requires length > 0, and `epochs`
/// for a length in epochs.
double share_passed(const Length& length, const Progress& progress);

class Schedule {
 public:
  virtual ~Schedule() = default;
  /// The rate of the next update, given the optimizer's `learning_rate`.
  virtual double rate(double learning_rate, const Progress& progress) const = 0;
  /// Whether rate() reads Progress::epochs.
  virtual bool needs_epochs() const = 0;
};

/// The schedules that a user may name.
const Family<Schedule>& table_of(const Schedule*);

}  // namespace paceline
