// SPDX-License-Identifier: MIT
/// \file
/// The lives of a worker in the strategies that survive its death. A worker dies when its lifetime
/// is over or when its arithmetic fails, and may be replaced some time later.
#pragma once
#include <cstdint>

#include "training/runtime/message.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// From a worker to itself: the lifetime of its life number `life` is over.
struct LifetimeOver {
  std::uint16_t life = 0;
};
/// From a worker to shard 0: it has died.
struct Died {
  std::int64_t step = -1;    ///< the mini-batch that may be lost; -1: none
  std::int64_t version = 0;  ///< that this was computed at
};
/// From a worker to itself, then to shard 0, then to the other shards: it has been replaced.
struct Back {
  RoleId worker = 0;
  std::uint16_t life = 0;
};
/// A strategy with workers that die begins its list of messages with these.
template <class... Others>
using MortalKinds = MessageKinds<LifetimeOver, Died, Back, Others...>;

/// Counts deaths between two updates: a run in which workers die faster than they learn has no end.
class DeathToll {
 public:
  void note_update() { in_a_row_ = 0; }
  /// Throws std::runtime_error after too many deaths without an update. `updates`: made so far.
  void note_death(const Plan& plan, const Backend& backend, std::int64_t updates);

 private:
  std::int64_t in_a_row_ = 0;
};

/// Reports the mini-batches of a failed worker from `first` to `last.step`, computed at `version`,
/// as lost; none if `first` is greater.
void report_lost(const Plan& plan, const Backend& backend, std::int64_t first, WorkId last,
                 std::int64_t version);

class Life {
 public:
  /// Starts the first life: its end is a message LifetimeOver to the worker itself.
  Life(const Plan& plan, Backend& backend, RoleId me);

  /// Whether a message is for this life; earlier ones are for a predecessor of the worker.
  bool is_mine(std::uint16_t life) const { return alive_ && life == ordinal_; }
  bool is_mine(const ArithmeticFailed& failed) const {
    return alive_ && failed.work.step > last_step_of_dead_;
  }
  std::uint16_t ordinal() const { return ordinal_; }

  /// Dies: ends mini-batches up to `step`, reports the death to shard 0 and, where the dead are
  /// replaced, arranges for a message Back to the worker itself. `under_way`: shard 0 may or may
  /// not have that step, computed at `version`; only it knows whether the step is lost.
  void end(std::int64_t step, bool under_way, std::int64_t version);
  /// The replacement starts, and reports to shard 0.
  void begin_anew(const Back& back);

 private:
  void start_lifetime();

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  Token lifetime_;
  bool alive_ = true;
  std::uint16_t ordinal_ = 0;
  std::int64_t last_step_of_dead_ = -1;
  Instant died_at_;
};

}  // namespace paceline
