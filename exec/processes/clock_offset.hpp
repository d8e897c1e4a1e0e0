// SPDX-License-Identifier: MIT
/// \file
/// The offset of another computer's steady clock, from pings and pongs (Cristian, Distributed
/// Computing 3, 1989): the shortest round trip has the smallest error.
#pragma once
#include <cstdint>
#include <span>

namespace paceline {

/// A ping that this clock sent and received back, and the other clock received at `there`.
/// Nanoseconds.
struct Echo {
  std::int64_t sent_ns = 0;
  std::int64_t there_ns = 0;
  std::int64_t back_ns = 0;
  std::int64_t round_trip_ns() const { return back_ns - sent_ns; }
};

struct ClockOffset {
  std::int64_t offset_ns = 0;  ///< the other clock minus this one
  std::int64_t error_ns = 0;   ///< bound of the error: half the round trip
};

/// Uses the fastest echo. Requires at least one.
ClockOffset clock_offset(std::span<const Echo> echoes);

/// The steady clock of this computer.
std::int64_t steady_ns();

}  // namespace paceline
