// SPDX-License-Identifier: MIT
/// \file
/// A call of a schedule of equal steps, worked out as far as is known while its ranks come to it.
/// A copy of a rank that has its links to itself takes a known time, so that its end is worked out
/// at once, however far ahead. A rank with links that other flows may cross is **disturbed**: each
/// of its copies is given out to be simulated, and the ranks that depend on it go on when that is
/// over. Nothing is ever taken back, and the times are those of ScheduleTimes for hosts that take
/// no time to decide.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/ahead/schedule_costs.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// Learns what a call comes to. All times are the present or later.
class GradualCallListener {
 public:
  virtual ~GradualCallListener() = default;
  /// A disturbed rank sends; the answer is GradualCall::note_sent at the end of the copy.
  virtual void send_begins(int rank, int to, double bytes, std::int64_t at_ps) = 0;
  /// No other rank reads the rank's buffer any more.
  virtual void last_sent(int rank, std::int64_t at_ps) = 0;
  /// The rank has the result.
  virtual void summed(int rank, std::int64_t at_ps) = 0;
};

/// The part of a schedule that all its calls have in common.
struct GradualSchedule {
  /// Requires UniformTimes::suits(schedule). \param disturbed by rank
  GradualSchedule(const CollectiveSchedule& schedule, ScheduleCosts costs,
                  std::vector<bool> disturbed);
  /// Whether it is of equal steps, and the ends of its copies fit in memory.
  static bool suits(const CollectiveSchedule& schedule);

  /// Steps in which all ranks do the same with as many bytes.
  struct Kind {
    UniformStep step;
    std::vector<ScheduleLink> links;  ///< by rank that sends
  };
  ScheduleCosts costs;
  std::vector<bool> disturbed;
  int parts;
  std::vector<Kind> kinds;
  std::vector<std::uint8_t> kind_of;  ///< by step
};

class GradualCall {
 public:
  /// Both must outlive this.
  GradualCall(const GradualSchedule& schedule, GradualCallListener& listener);

  /// Begins a call of `bytes` in all; the last one must be over.
  void begin(double bytes);
  bool is_over() const { return left_ == 0; }
  /// A rank has come to the call: its part is ready, and its stream is free.
  void come(int rank, std::int64_t now_ps);
  /// The copy of a disturbed rank has ended.
  void note_sent(int rank, std::int64_t now_ps);

 private:
  struct Rank {
    std::int64_t stream = 0, last = 0;  ///< as of RankClocks
    std::int32_t step = -1;             ///< that it is in; -1: it has not come yet
    std::int32_t sends = 0;             ///< with a known end
  };
  struct Length {
    std::int64_t copy = 0, sum = 0;
    bool is_simulated = false;
  };
  std::size_t receiver(std::size_t rank, const UniformStep& step) const;
  void go_on();
  void go_on(std::size_t rank);
  void note_end(std::size_t rank, std::int64_t end_ps);
  void receive(std::size_t rank, std::size_t from);

  const GradualSchedule& schedule_;
  GradualCallListener& listener_;
  std::size_t ranks_, steps_;
  double part_ = 0;  ///< bytes
  std::vector<Rank> by_rank_;
  std::vector<Length> lengths_;           ///< by kind and rank
  std::vector<std::int64_t> ends_;        ///< of copies, by rank and step
  std::vector<std::uint32_t> may_go_on_;  ///< ranks
  std::size_t left_ = 0;                  ///< ranks that have not ended
};

}  // namespace paceline
