// SPDX-License-Identifier: MIT
/// \file
/// The host thread that runs the roles of a process, and the one that launches kernels.
///
/// The roles' thread handles one operation after another, each for `handling`, and passes each to
/// its device then. A decision takes `decision` from the event to the host's answer, and waits for
/// operations that are being handled. One thread of each computer, or one for each GPU, launches
/// the kernels of workers, `dispatch` a layer, or an operation of a loop.
#pragma once
#include <algorithm>
#include <vector>

#include "sim/costs/costs.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class HostThread {
 public:
  explicit HostThread(const Costs& costs)
      : costs_(costs), free_ps_(static_cast<std::size_t>(costs.processes.count), 0) {
    int computers = 1;
    for (const int computer : costs.computers) computers = std::max(computers, computer + 1);
    const std::size_t workers = std::max<std::size_t>(1, costs.slowdown.size());
    dispatchers_free_ps_.resize(
        costs.dispatchers == Dispatchers::gpu ? workers : static_cast<std::size_t>(computers), 0);
  }

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
  /// When `dispatches` of `worker`, queued `now`, have been made.
  std::int64_t launched_ps(RoleId worker, double dispatches, Instant now) {
    if (costs_.dispatch == Seconds{}) return now.ps;
    std::int64_t& free_ps = dispatchers_free_ps_[costs_.dispatcher_of(worker)];
    const std::int64_t launches =
        round_ps(static_cast<double>(to_ps(costs_.dispatch)) * dispatches);
    free_ps = later_ps(std::max(free_ps, now.ps), launches);
    return free_ps;
  }

 private:
  std::int64_t& free_of(RoleId role) {
    return free_ps_[static_cast<std::size_t>(costs_.processes.of(role))];
  }

  const Costs& costs_;
  std::vector<std::int64_t> free_ps_;              ///< by process
  std::vector<std::int64_t> dispatchers_free_ps_;  ///< by computer, or by worker
};

}  // namespace paceline
