// SPDX-License-Identifier: MIT
/// \file
/// How far this computer's steady clock is from another's, from questions and answers (Cristian,
/// Distributed Computing 3, 1989): the answer that took least time bounds the error most.
#pragma once
#include <cstdint>
#include <span>

namespace paceline {

/// A question: sent and answered on our clock, `there` on the other one in between. Nanoseconds.
struct Echo {
  std::int64_t sent_ns = 0;
  std::int64_t there_ns = 0;
  std::int64_t back_ns = 0;
  std::int64_t round_trip_ns() const { return back_ns - sent_ns; }
};

struct ClockOffset {
  std::int64_t offset_ns = 0;  ///< the other clock less ours
  std::int64_t error_ns = 0;   ///< at most: half the round trip
};

/// By the fastest of the echoes. Requires that there is one.
ClockOffset clock_offset(std::span<const Echo> echoes);

/// The steady clock of this computer.
std::int64_t steady_ns();

}  // namespace paceline
