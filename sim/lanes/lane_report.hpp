// SPDX-License-Identifier: MIT
/// \file
/// Reports the operations of all workers to an observer. It sees what it would see of events, of
/// one operation after the other instead of one instant after the other: figures are sums, and of
/// the workers' updates to one version the last is reported last.
#pragma once
#include "sim/lanes/lane_operation.hpp"
#include "training/runtime/observer.hpp"

namespace paceline {

class LaneReport {
 public:
  /// \param workers that each lane stands for
  LaneReport(Observer* observer, int workers) : observer_(observer), workers_(workers) {}

  /// An operation of the compute streams, evaluated.
  void add(const LaneOperation& operation);
  /// Workers begin a step, or have made an update.
  void add_begun(std::int64_t step, const LaneTimes& at);
  void add_updated(std::int64_t version, const LaneTimes& at);

 private:
  void add_span(const LaneOperation& operation, Activity activity, std::int64_t step);
  void add_change(const LaneOperation& operation, std::int64_t version);

  Observer* observer_;
  int workers_;
  std::int64_t last_step_ = -1;  ///< that has begun
};

}  // namespace paceline
