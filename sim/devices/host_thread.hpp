// SPDX-License-Identifier: MIT
/// \file
/// The host thread that runs the roles of a process, and the one that launches kernels.
///
/// The roles' thread handles one operation after another, each for `handling`, and passes each to
/// its device then. A decision takes `decision` from the event to the host's answer, and waits for
/// operations that are being handled. One thread launches the kernels of all workers, `dispatch` a
/// layer.
#pragma once
#include <algorithm>
#include <vector>

#include "sim/costs/costs.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class HostThread {
 public:
  explicit HostThread(const Costs& costs)
      : costs_(costs), free_ps_(static_cast<std::size_t>(costs.processes.count), 0) {}

  bool handles() const { return costs_.handling > Seconds{}; }
  /// When an operation of `role` that is queued `now` is passed to its device.
  std::int64_t handled_ps(RoleId role, Instant now) {
    std::int64_t& free_ps = free_of(role);
    free_ps = later_ps(std::max(free_ps, now.ps), to_ps(costs_.handling));
    return free_ps;
  }
  /// When `role` goes on after an event `now`.
  std::int64_t decided_ps(RoleId role, Instant now) {
    return std::max((now + costs_.decision).ps, free_of(role));
  }
  /// When the kernels of `layers` layers, queued `now`, have been launched.
  std::int64_t launched_ps(int layers, Instant now) {
    if (costs_.dispatch == Seconds{}) return now.ps;
    const std::int64_t launches = round_ps(static_cast<double>(to_ps(costs_.dispatch)) * layers);
    dispatcher_free_ps_ = later_ps(std::max(dispatcher_free_ps_, now.ps), launches);
    return dispatcher_free_ps_;
  }

 private:
  std::int64_t& free_of(RoleId role) {
    return free_ps_[static_cast<std::size_t>(costs_.processes.of(role))];
  }

  const Costs& costs_;
  std::vector<std::int64_t> free_ps_;  ///< by process
  std::int64_t dispatcher_free_ps_ = 0;
};

}  // namespace paceline
