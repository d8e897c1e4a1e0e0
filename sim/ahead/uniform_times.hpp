// SPDX-License-Identifier: MIT
/// \file
/// The times of a schedule in which all ranks do the same: each sends as many parts to the rank a
/// fixed number of places further. Ranks are rows of numbers, and a step a few passes over them.
/// Where all ranks are at one place and all links alike, one rank stands for all; where a ring's
/// steps repeat, most of them are taken at once (ring_window.hpp).
#pragma once
#include <optional>
#include <vector>

#include "sim/ahead/rank_clocks.hpp"
#include "sim/ahead/ring_window.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

class UniformTimes {
 public:
  /// Whether the schedule is of this kind.
  static bool suits(const CollectiveSchedule& schedule);

  /// The arguments must outlive this.
  UniformTimes(const CollectiveSchedule& schedule, const ScheduleCosts& costs)
      : schedule_(schedule), costs_(costs) {}

  /// As ScheduleTimes::carry_out.
  void carry_out(double part, RankClocks& ranks);

 private:
  using Row = std::vector<std::int64_t>;

  void take_lengths(const UniformStep& step, double part, std::size_t size);
  bool in_step(double part, const RankClocks& ranks);
  void carry_out(std::size_t size, double part, RankClocks& ranks);
  int equal_steps(int step) const;
  bool may_leap(const UniformStep& step, int steps, const RankClocks& ranks);
  bool may_end_clock(const RankClocks& ranks) const;
  void leap(std::size_t steps, RankClocks& ranks);
  void take(const UniformStep& step, std::size_t size, RankClocks& ranks);
  void receive(const UniformStep& step, std::size_t size, RankClocks& ranks);
  void note_queued(std::size_t size, RankClocks& ranks);

  const CollectiveSchedule& schedule_;
  const ScheduleCosts& costs_;
  int shift_ = 0;                     ///< of `links_`
  std::vector<ScheduleLink> links_;   ///< by rank
  bool alike_ = false;                ///< all links, and all sums
  UniformStep lengths_of_{};          ///< the step of the lengths below
  double part_ = -1;                  ///< its bytes of a part
  Row flow_, copy_, sum_;             ///< by rank: of a step, without and with the latency
  std::optional<RingWindow> window_;  ///< of these lengths, once it is needed
  Row ends_;                          ///< by rank: of the send of the step under way
};

}  // namespace paceline
