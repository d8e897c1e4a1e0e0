// SPDX-License-Identifier: MIT
/// \file
/// The times of a collective schedule that has its links to itself, without events. A step begins
/// once the rank's stream is free, what it received before is there, and the host has queued it; a
/// copy takes its route's latency and its bytes at the route's full rate:
///
///     send      begins at max(stream, last, host)        ends copy later;  stream, sent = its end
///     receive   what replaces: last = the partner's end; what is added: stream, last = the sum's
///               end, which begins at max(stream, the partner's end, host)
///     host      queues four steps ahead of the last that has been sent, a decision later
///
/// These are the times that run_schedule.cpp and the events of the simulated machine give, to the
/// picosecond: tests/sim/ahead compares them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/ahead/uniform_times.hpp"

namespace paceline {

struct Team;

class ScheduleTimes {
 public:
  /// The arguments must outlive this.
  ScheduleTimes(const CollectiveSchedule& schedule, const ScheduleCosts& costs);
  ~ScheduleTimes();

  /// Carries out a call: `ranks` comes with `last` and `sent` where each rank's part is ready and
  /// `host` where it makes the call, and goes with the ends. It may have fewer ranks than the
  /// schedule, as schedule_folding.hpp permits. \param part bytes of a part
  void carry_out(double part, RankClocks& ranks);

  std::int64_t copies() const { return copies_; }  ///< so far

 private:
  /// A step of a rank.
  struct Action {
    std::int32_t rank = 0, to = -1, from = -1;
    std::int32_t out = 0, in = 0;  ///< parts
    std::uint32_t link = 0;        ///< to the rank that it sends to, in `links_`
    Arrival arrival = Arrival::replaces;
  };
  struct TeamTimes;

  bool takes_whole_teams(std::size_t phase) const;
  void carry_out_teams(const std::vector<Team>& teams, double part, RankClocks& ranks);
  void carry_out_steps(int begin, int end, double part, RankClocks& ranks);
  const std::vector<Action>& actions_of(int step, std::size_t ranks);
  std::uint32_t link_of(int from, int to);
  void send(const Action& action, double part, RankClocks& ranks);
  void receive(const Action& action, double part, RankClocks& ranks);
  void note_queued(std::size_t rank, RankClocks& ranks);

  const CollectiveSchedule& schedule_;
  const ScheduleCosts& costs_;
  std::size_t size_;
  std::int64_t copies_ = 0;
  std::vector<std::vector<Action>> actions_;   ///< by step; where all would be too many, of one
  std::int64_t kept_ = 0;                      ///< actions in `actions_`
  std::vector<ScheduleLink> links_;            ///< different ones
  std::vector<std::int64_t> ends_;             ///< by rank: of the send of the step under way
  std::vector<std::int64_t> begins_;           ///< by rank: when its bytes began to flow
  std::unique_ptr<UniformTimes> equal_steps_;  ///< where every rank does the same in each step
  std::map<const Team*, std::unique_ptr<TeamTimes>> teams_;
};

}  // namespace paceline
