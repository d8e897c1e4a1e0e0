// SPDX-License-Identifier: MIT
/// \file
/// A core at which threads take turns: while others wait one runs for a slice at most, then the
/// next, in the order in which they came, as Linux does with threads of one weight (sched(7)).
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "training/roles/command.hpp"

namespace paceline {

class CoreTurns {
 public:
  /// \param slice_ps  0: whoever runs goes on to its end
  explicit CoreTurns(std::int64_t slice_ps) : slice_ps_(slice_ps) {}

  /// An operation of `thread` wants the core. One that follows another of its thread goes on where
  /// that ended.
  void add(std::uint32_t op, RoleId thread, std::int64_t now_ps) {
    const bool goes_on = !running_ && thread == last_ && now_ps == last_end_ps_;
    goes_on_ = goes_on_ || goes_on;
    goes_on ? waiting_.push_front({op, thread}) : waiting_.push_back({op, thread});
  }
  /// Takes it out, wherever it is.
  void remove(std::uint32_t op, std::int64_t now_ps) {
    if (running_ && running_->op == op) {
      last_ = running_->thread;
      last_end_ps_ = now_ps;
      goes_on_ = false;
      running_.reset();
    } else {
      std::erase_if(waiting_, [op](const Turn& turn) { return turn.op == op; });
    }
  }
  bool runs(std::uint32_t op) const { return running_ && running_->op == op; }
  /// It runs or waits.
  bool holds(std::uint32_t op) const {
    return runs(op) || std::any_of(waiting_.begin(), waiting_.end(),
                                   [op](const Turn& turn) { return turn.op == op; });
  }
  /// Nobody runs though somebody could.
  bool idle() const { return !running_ && !waiting_.empty(); }
  /// How many run or wait.
  std::size_t threads() const { return waiting_.size() + (running_ ? 1 : 0); }

  /// The next one's turn; requires `idle`.
  std::uint32_t begin_turn(std::int64_t now_ps) {
    if (!goes_on_) began_ps_ = now_ps;
    goes_on_ = false;
    running_ = waiting_.front();
    waiting_.pop_front();
    return running_->op;
  }
  /// When the turn under way is over, if others wait.
  std::optional<std::int64_t> turn_ends(std::int64_t now_ps) const {
    if (!running_ || waiting_.empty() || slice_ps_ == 0) return std::nullopt;
    return std::max(now_ps, began_ps_ + slice_ps_);
  }
  /// It is: the one that ran waits behind the others.
  std::uint32_t end_turn() {
    const Turn turn = *running_;
    running_.reset();
    waiting_.push_back(turn);
    last_ = -1;
    return turn.op;
  }

 private:
  struct Turn {
    std::uint32_t op = 0;
    RoleId thread = -1;
  };
  std::int64_t slice_ps_;
  std::deque<Turn> waiting_;
  std::optional<Turn> running_;
  std::int64_t began_ps_ = 0;  ///< the turn under way
  RoleId last_ = -1;           ///< whose operation ended last, at `last_end_ps_`
  std::int64_t last_end_ps_ = -1;
  bool goes_on_ = false;
};

}  // namespace paceline
