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
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ahead/uniform_times.hpp"

namespace paceline {

class ScheduleTimes {
 public:
  /// The arguments must outlive this.
  ScheduleTimes(const CollectiveSchedule& schedule, const ScheduleCosts& costs);

  /// Carries out a call: `ranks` comes with `last` and `sent` where each rank's part is ready and
  /// `host` where it makes the call, and goes with the ends. \param part bytes of a part
  void carry_out(double part, RankClocks& ranks);

  std::int64_t copies() const { return copies_; }  ///< so far

 private:
  struct Row {
    ScheduleStep step;
    ScheduleLink link;
  };
  /// The ends of the last four sends, of which the host awaits the first after each step.
  struct Ahead {
    std::array<std::int64_t, 4> sent{}, began{};
    std::size_t next = 0;
  };

  bool is_uniform() const;
  void carry_out_rows(double part, RankClocks& ranks);
  void send(const Row& row, std::size_t rank, double part, RankClocks& ranks);
  void receive(const ScheduleStep& step, std::size_t rank, double part, RankClocks& ranks);
  void note_queued(std::size_t rank, RankClocks& ranks);
  const Row* rows_of(int step);

  const CollectiveSchedule& schedule_;
  const ScheduleCosts& costs_;
  std::size_t size_;
  std::int64_t copies_ = 0;
  std::vector<Row> rows_;             ///< by step and rank; of one step where all would be too many
  std::vector<std::int64_t> ends_;    ///< by rank: of the send of the step under way
  std::vector<std::int64_t> begins_;  ///< by rank: when its bytes began to flow
  std::vector<Ahead> ahead_;          ///< by rank
  std::optional<UniformTimes> equal_steps_;  ///< where every rank does the same in each step
};

}  // namespace paceline
