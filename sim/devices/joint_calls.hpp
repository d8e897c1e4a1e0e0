// SPDX-License-Identifier: MIT
/// \file
/// Calls of collective schedules that are worked out ahead, without events: where nothing but the
/// schedule uses its links, a call's ends are known once the part of its last rank is ready.
///
/// A rank's call is two operations of no stream: one of its result, which begins when the rank's
/// part is ready, and one of its sends. When all ranks of a call, and of those before it, are
/// ready, ScheduleTimes says when both end. The host's turn after its calls is known then, too.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sim/ahead/schedule_times.hpp"
#include "sim/devices/paths.hpp"
#include "sim/devices/processor.hpp"
#include "training/runtime/backend.hpp"
#include "training/strategies/collectives/run_schedule.hpp"

namespace paceline {

class JointCalls {
 public:
  /// \param sum seconds per byte that a rank adds, by rank
  /// All references must outlive this.
  JointCalls(const DeviceContext& context, Paths& paths, int ranks, std::vector<double> sum);

  /// Whether no two ranks of the schedule share a resource, so that a rank's flows have it to
  /// themselves one after the other.
  bool suits(const CollectiveSchedule& schedule);

  /// A rank makes its next call, and `sent` stands for its sends. Returns the call's number.
  std::int32_t make(const CollectiveCall& call, OpIndex sent);
  /// The rank's part of a call is ready now, and `summed` stands for its result.
  void note_ready(std::int32_t call, RoleId rank, OpIndex summed);

  /// Whether the host has come to the rank's turn.
  bool has_turn(RoleId rank) const;
  /// The rank waits for it.
  void await_turn(RoleId rank);

  /// So far, of all calls.
  std::uint64_t copies() const;

 private:
  struct Ends {
    std::int64_t made_ps = 0, ready_ps = 0;
    OpIndex summed = 0, sent = 0;
  };
  struct Call {
    const CollectiveSchedule* schedule = nullptr;
    double part = 0;         ///< bytes
    std::size_t ready = 0;   ///< ranks
    std::vector<Ends> ends;  ///< by rank
  };
  ScheduleTimes& times_of(const CollectiveSchedule& schedule);
  bool carried_out(std::int32_t call) const { return call < first_; }
  void carry_out(const Call& call);
  void take_turn(RoleId role);
  void end(OpIndex op, std::int64_t at_ps);

  DeviceContext context_;
  Paths& paths_;
  std::size_t size_;
  ScheduleCosts costs_;
  std::map<const CollectiveSchedule*, bool> suits_;
  std::map<const CollectiveSchedule*, std::unique_ptr<ScheduleTimes>> times_;
  RankClocks clocks_;
  std::deque<Call> calls_;          ///< those that are not carried out yet
  std::int32_t first_ = 0;          ///< the number of the first of these
  std::vector<std::int32_t> made_;  ///< by rank: calls so far
  std::vector<char> awaits_turn_;   ///< by rank
};

}  // namespace paceline
