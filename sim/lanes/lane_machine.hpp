// SPDX-License-Identifier: MIT
/// \file
/// A machine on which all workers run one program, and its times are worked out for all of them at
/// once. The program runs a single time, as worker 0; each of its operations is a row of times with
/// a lane for every worker. Nothing that a worker does may depend on what happens when: it awaits
/// no message, is never cancelled, and meets the others only in calls of schedules (sim/ahead) or
/// of the collective library that have their links to themselves. Then no event is needed, and the
/// times are those that events give, to the picosecond: tests/sim/lanes compares them.
///
/// Where workers are equal, a lane stands for several: lane r for all workers equal to r modulo the
/// number of lanes.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/ahead/schedule_times.hpp"
#include "sim/lanes/compute_lanes.hpp"
#include "sim/lanes/lane_report.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

class LaneMachine final : public Backend {
 public:
  /// All references must outlive this. \param lanes a divisor of the plan's workers
  LaneMachine(const Machine& machine, const Costs& costs, const ScheduleCosts& links,
              const std::vector<int>& vertices, const Plan& plan, std::size_t lanes);

  /// The plan that the program of worker 0 follows on this machine.
  Plan plan_of_all() const;
  /// Runs the program to its end.
  void run(Task<> program);
  /// Copies of schedules and flows of the library, of all workers.
  std::int64_t copies() const;
  /// When the last host has come to the end of the program.
  std::int64_t end_ps() const;

  Instant now() const override;
  Token submit(Stream stream, const Command& command, const After& after) override;
  std::optional<Reduced> whole_call(const CollectiveCall& call, Token ready) override;
  bool complete(Token token) const override { return token.slot() == 0; }
  void report_begun(RoleId, std::int64_t step) override { report_.add_begun(step, *host_); }
  void report_updated(RoleId, std::int64_t version) override {
    report_.add_updated(version, *host_);
  }

  void send(RoleId, const Message&, const After&, WorkId) override { refuse("a message"); }
  void cancel(WorkId) override { refuse("a cancellation"); }
  void kill(WorkId) override { refuse("a death"); }
  std::string cause_of_death(RoleId) const override { return ""; }
  Token arrival(RoleId, RoleId) override;

 protected:
  bool has_message(RoleId) const override { return false; }
  Message take_message(RoleId) override;
  void wait_for_message(RoleId, std::coroutine_handle<>) override { refuse("a message"); }
  void wait_for(RoleId, Token token, std::coroutine_handle<> at) override;

 private:
  /// The times of a token.
  struct Times {
    LaneRow begins, ends;
  };
  /// The next delay that the program queues.
  struct Draw {
    const LaneDraw* of = nullptr;
    std::int64_t step = -1;
  };
  [[noreturn]] static void refuse(const std::string& command);
  Token add(Times times);
  const Times& times_of(Token token);
  bool is_queued(Token token) const {
    return token.slot() >= first_token_ && times_[token.slot() - first_token_].ends == nullptr;
  }
  void check_clock() const;
  void evaluate(std::size_t count);
  void evaluate_through(Token token);
  Token call_library(const Command::Collective& collective, const After& after);
  LaneRow latest_of(const After& after);
  LaneTimes push_begins(const After& after);
  void forget_before(Token token);

  const Costs& costs_;
  const Plan& plan_;
  std::size_t lanes_;
  LayerClock layers_;
  OperationCosts lengths_;
  LibraryLanes library_;
  ComputeLanes compute_;
  LaneReport report_;
  std::vector<LaneOperation> queued_;  ///< operations of the compute streams, not evaluated yet
  std::uint32_t first_queued_ = 0;     ///< the token of the first of these
  std::deque<Times> times_;            ///< by token, from `first_token_` on
  std::uint32_t first_token_ = 1;
  LaneRow host_;  ///< where the hosts have come to
  LaneRow push_;  ///< when the push streams are free of what is no call
  RankClocks clocks_;
  const ScheduleCosts& links_;
  std::map<const CollectiveSchedule*, std::unique_ptr<ScheduleTimes>> schedules_;
  mutable Draw draw_;
  std::int64_t last_step_ = 0;  ///< the last with an operation that the program has queued
  std::coroutine_handle<> at_;  ///< where the program goes on
};

}  // namespace paceline
