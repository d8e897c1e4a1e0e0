// SPDX-License-Identifier: MIT
/// \file
/// The copy engines of a card that several workers share: each does one copy at a time, in the
/// order in which they came, whoever asked.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

namespace paceline {

class CopyEngines {
 public:
  /// Whether the engine begins with `op` now; else it is told of it when its turn comes.
  bool take(int engine, std::uint32_t op) {
    Engine& at = engines_[static_cast<std::size_t>(engine)];
    if (at.busy) at.waiting.push_back(op);
    const bool free = !at.busy;
    at.busy = true;
    return free;
  }
  /// The engine's copy has ended: what it does next, if anything waits.
  std::optional<std::uint32_t> release(int engine) {
    Engine& at = engines_[static_cast<std::size_t>(engine)];
    at.busy = !at.waiting.empty();
    if (!at.busy) return std::nullopt;
    const std::uint32_t next = at.waiting.front();
    at.waiting.pop_front();
    return next;
  }

 private:
  struct Engine {
    bool busy = false;
    std::deque<std::uint32_t> waiting;
  };
  std::array<Engine, 2> engines_;
};

}  // namespace paceline
