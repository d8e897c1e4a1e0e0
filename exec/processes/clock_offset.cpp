// SPDX-License-Identifier: MIT
#include "exec/processes/clock_offset.hpp"

#include <algorithm>
#include <chrono>

namespace paceline {

ClockOffset clock_offset(std::span<const Echo> echoes) {
  const Echo& best = *std::min_element(
      echoes.begin(), echoes.end(),
      [](const Echo& a, const Echo& b) { return a.round_trip_ns() < b.round_trip_ns(); });
  const std::int64_t half = best.round_trip_ns() / 2;
  return {best.there_ns - (best.sent_ns + half), half};
}

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace paceline
