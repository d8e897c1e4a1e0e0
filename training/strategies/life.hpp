// SPDX-License-Identifier: MIT
/// \file
/// A worker's life and death, as every program that survives them lives it: it may die when its
/// lifetime is over or when its arithmetic fails, and may be replaced some time later.
#pragma once
#include <cstdint>

#include "training/roles/backend.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// Counts deaths between two updates: a run in which workers die faster than they learn has no end.
class DeathToll {
 public:
  void note_update() { in_a_row_ = 0; }
  /// Throws std::runtime_error after too many deaths without an update. `updates`: made so far.
  void note_death(const Plan& plan, const Backend& backend, std::int64_t updates);

 private:
  std::int64_t in_a_row_ = 0;
};

class Life {
 public:
  /// Starts the first life: its end is a message `died` to the worker itself.
  Life(const Plan& plan, Backend& backend, RoleId me);

  /// Whether a message is for this life: what was sent to the worker's predecessor is not.
  bool is_mine(const Message& message) const { return alive_ && message.life == ordinal_; }
  std::uint16_t ordinal() const { return ordinal_; }

  /// Dies: ends mini-batches up to `step`, tells shard 0 and, where the dead are replaced,
  /// arranges for a message `back` to the worker itself. `under_way`: shard 0 may have that step,
  /// computed at `version`, or not; only it can tell whether it is lost.
  void end(std::int64_t step, bool under_way, std::int64_t version);
  /// The replacement starts: tells shard 0. `message` is what came back.
  void begin_anew(const Message& message);

 private:
  void note_lifetime();

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  bool alive_ = true;
  std::uint16_t ordinal_ = 0;
  Instant died_at_;
};

}  // namespace paceline
