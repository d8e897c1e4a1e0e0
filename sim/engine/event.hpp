// SPDX-License-Identifier: MIT
/// \file
/// An event of the simulator, in the order of events: by time, ties by insertion.
#pragma once
#include <cstdint>

namespace paceline {

/// An event at a time. The engine defines the meaning of `what`, `subject` and `generation`.
struct Event {
  std::int64_t time_ps = 0;  ///< not negative
  std::uint64_t rank = 0;    ///< place in the order of insertion, and `what` in the lowest byte
  std::uint32_t subject = 0;
  std::uint32_t generation = 0;
  std::uint8_t what() const { return static_cast<std::uint8_t>(rank); }
};

/// Whether `a` comes first. As one number, which needs no branch: which child of a heap comes first
/// cannot be predicted.
inline bool before(const Event& a, const Event& b) {
  __extension__ using Key = unsigned __int128;
  const auto key_of = [](const Event& event) {
    return static_cast<Key>(event.time_ps) << 64 | event.rank;
  };
  return key_of(a) < key_of(b);
}

}  // namespace paceline
