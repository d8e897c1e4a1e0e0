// SPDX-License-Identifier: MIT
/// \file
/// Calls of one schedule on a machine with events. Copies over links that nothing else crosses are
/// worked out ahead (sim/ahead/gradual_call.hpp); those of disturbed ranks are flows. A call of a
/// rank takes three events: it comes to it, its stream is free, and the other of the two ends.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "sim/ahead/gradual_call.hpp"
#include "sim/devices/paths.hpp"
#include "sim/devices/processor.hpp"
#include "training/strategies/collectives/run_schedule.hpp"

namespace paceline {

class AheadCalls final : public GradualCallListener {
 public:
  /// All references must outlive this. Role r is rank r.
  AheadCalls(const CollectiveSchedule& schedule, const ScheduleCosts& costs,
             const std::vector<bool>& disturbed, const DeviceContext& context, Paths& paths);

  bool takes(const CollectiveCall& call) const {
    return call.schedule == &of_ && call.roles.empty() && call.slices == 1 && !call.codec;
  }
  /// Whether a rank's stream is busy with a last sum once its last copy has gone.
  bool ends_with_sum() const { return ends_with_sum_; }
  /// Operation `op`, which stands for a rank's next call on its stream, begins.
  void begin(OpIndex op, int rank, double bytes);

  /// Of an event.
  enum class What : std::uint8_t { copy_begins, flow_begins, stream_is_free, other_end };
  static What what(std::uint32_t subject) { return static_cast<What>(subject & 3U); }
  static RoleId rank_of(std::uint32_t subject) { return static_cast<RoleId>(subject >> 2U); }
  void copy_begins(RoleId rank);
  void flow_begins(RoleId rank);
  void flow_ended(RoleId rank);
  /// The operation of the rank's call, while its stream is busy with it.
  OpIndex operation_of(RoleId rank) const { return at(rank).op; }
  std::uint64_t copies() const { return copies_; }

 private:
  struct Rank {
    GradualCall* call = nullptr;  ///< that it sends in
    std::int64_t calls = 0;       ///< that it has come to
    OpIndex op = 0;
    int to = 0;  ///< of a copy that is a flow
    double bytes = 0;
    const Path* path = nullptr;
  };
  Rank& at(RoleId rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& at(RoleId rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  void push(What what, int rank, std::int64_t at_ps);
  void send_begins(int rank, int to, double bytes, std::int64_t at_ps) override;
  void last_sent(int rank, std::int64_t at_ps) override;
  void summed(int rank, std::int64_t at_ps) override;

  const CollectiveSchedule& of_;
  GradualSchedule schedule_;
  DeviceContext context_;
  Paths& paths_;
  bool ends_with_sum_;
  std::vector<Rank> ranks_;
  std::deque<std::unique_ptr<GradualCall>> calls_;  ///< from number `first_call_` on
  std::vector<std::unique_ptr<GradualCall>> spare_;
  std::int64_t first_call_ = 0;
  std::uint64_t copies_ = 0;
};

}  // namespace paceline
