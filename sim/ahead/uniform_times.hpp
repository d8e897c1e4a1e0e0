// SPDX-License-Identifier: MIT
/// \file
/// The times of a schedule in which all ranks do the same: each sends as many parts to the rank a
/// fixed number of places further. Ranks are rows of numbers, and a step a few passes over them;
/// where all ranks are at one place and all links alike, one rank stands for all.
#pragma once
#include <array>
#include <vector>

#include "sim/ahead/schedule_costs.hpp"
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

  void take_lengths(const UniformStep& step, double part);
  bool in_step(double part, const RankClocks& ranks);
  void carry_out(std::size_t size, double part, RankClocks& ranks);
  void receive(const UniformStep& step, std::size_t size, RankClocks& ranks);
  void note_queued(int step, std::size_t size, RankClocks& ranks);

  const CollectiveSchedule& schedule_;
  const ScheduleCosts& costs_;
  int shift_ = 0;                    ///< of `links_`
  std::vector<ScheduleLink> links_;  ///< by rank
  bool alike_ = false;               ///< all links, and all sums
  UniformStep lengths_of_{};         ///< the step of the lengths below
  double part_ = -1;                 ///< its bytes of a part
  Row flow_, copy_, sum_;            ///< by rank: of a step, without and with the latency
  Row ends_;                         ///< by rank: of the send of the step under way
  std::array<Row, 4> sent_, began_;  ///< by step modulo 4: the ends before, and their flows' begins
};

}  // namespace paceline
