// SPDX-License-Identifier: MIT
/// \file
/// Schedules: the learning rate as a function of how far training has come. A new schedule is one
/// file in schedules/ and one row in schedule.cpp.
#pragma once
#include <optional>

#include "experiments/family.hpp"
#include "training/length.hpp"

namespace paceline {

/// How far training has come, in work applied.
struct Progress {
  double rounds = 0;             ///< mini-batches applied, a worker
  std::optional<double> epochs;  ///< items applied over those of an epoch, where that is known
  double items_per_update = 0;   ///< the effective batch: items whose gradients make one update
};

/// The share of `length` that has passed, above 1 after its end. Requires length > 0, and `epochs`
/// for a length in epochs.
double share_passed(const Length& length, const Progress& progress);

class Schedule {
 public:
  virtual ~Schedule() = default;
  /// The rate of the next update, given the optimizer's `learning_rate`.
  virtual double rate(double learning_rate, const Progress& progress) const = 0;
  /// Whether rate() asks for Progress::epochs.
  virtual bool needs_epochs() const = 0;
};

/// The schedules a user may name.
const Family<Schedule>& table_of(const Schedule*);

}  // namespace paceline
