// SPDX-License-Identifier: MIT
/// \file
/// The cores of the computers that threads share, and the wake-up latency of a stream.
///
/// A stream that goes straight on from its last operation needs no wake-up. Else its next operation
/// starts `operation_start` after its last dependency completes (`busy_operation_start` while no
/// core sleeps), and `passing_on` of that is CPU time. Arithmetic on a core that has slept takes
/// longer, by the table `after_sleep`: between two measured lengths of sleep on a line. Of several
/// idle cores, the one that became idle last is taken: its caches are the warmest.
#pragma once
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/devices/operation_state.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class HostCores {
 public:
  /// Adds the cores' resources to the network where `costs` has cores.
  HostCores(const Costs& costs, const Timeline& time, FluidNetwork& network, int roles,
            int workers);

  bool shared() const { return !all_.empty(); }
  /// Adds the cores of a role's computer to the resources that a copying thread uses, if it needs
  /// any.
  void add_uses(RoleId role, double per_unit, std::vector<Use>& uses) const;

  /// Starts `ps` of work. A worker's compute stream stays on a core of its own, or one that several
  /// take turns at; threads that pass things on run on any core, ahead of arithmetic; loaders on
  /// any core, beside it.
  FlowId start(OpIndex op, Stream stream, double ps);

  void note_end(Stream stream) {
    if (wakes_) last_end_ps_[index_of(stream)] = time_.now().ps;
  }
  bool goes_straight_on(Stream stream) const {
    return last_end_ps_[index_of(stream)] == time_.now().ps;
  }
  std::int64_t start_latency_ps(Stream stream) const { return wakes_ ? wake_up_ps(stream) : 0; }
  /// CPU time of a wake-up.
  Seconds passing_on(Stream stream) const;

  /// The operation occupies a core. Returns the time that the core has been idle; 0 if it shares a
  /// busy one.
  Seconds take(OperationState& operation, Stream stream);
  void leave(OperationState& operation, Stream stream);
  /// The time that a mini-batch takes longer on a core that has slept.
  Seconds after_sleep(Seconds slept) const;

 private:
  static std::size_t index_of(Stream stream) {
    return static_cast<std::size_t>(stream.role) * kStreamKinds +
           static_cast<std::size_t>(stream.kind);
  }
  std::size_t computer_of(RoleId role) const {
    return static_cast<std::size_t>(costs_.processes.computer_of(role));
  }
  std::int64_t wake_up_ps(Stream stream) const;
  std::vector<Use> uses_of(std::size_t computer, double per_unit) const;
  void add_computer(FluidNetwork& network, bool loaders);
  bool all_busy(Stream stream) const;

  const Costs& costs_;
  const Timeline& time_;
  FluidNetwork& network_;
  int workers_;
  bool wakes_;                                            ///< streams have to be woken up
  std::vector<ResourceId> all_;                           ///< by computer: their joint speed
  std::vector<ResourceId> core_time_;                     ///< by computer, where there are loaders
  std::vector<RouteId> any_core_;                         ///< by computer, ahead of arithmetic
  std::vector<RouteId> beside_;                           ///< by computer, beside arithmetic
  std::vector<RouteId> one_core_;                         ///< by computer and core
  std::vector<int> occupied_;                             ///< operations on cores, by computer
  std::vector<std::vector<std::int64_t>> idle_since_ps_;  ///< of idle cores, by computer
  std::vector<std::int64_t> last_end_ps_;                 ///< by stream
};

}  // namespace paceline
