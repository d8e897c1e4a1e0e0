// SPDX-License-Identifier: MIT
/// \file
/// A point in time on either clock: integer picoseconds since the run began, so that the order of
/// events never depends on the last bit of a double. The clock counts 106.7 days. Lengths, and sums
/// of a time and a length, saturate there: a run that reaches the end of the clock is an error.
#pragma once
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

#include "experiments/language/units.hpp"

namespace paceline {

/// Picoseconds since the run began.
struct Instant {
  std::int64_t ps = 0;
  friend constexpr auto operator<=>(Instant, Instant) = default;
};

/// The end of the clock, in picoseconds.
inline constexpr std::int64_t kEndOfClock = std::numeric_limits<std::int64_t>::max();

/// A number of picoseconds, rounded half to even; what the clock cannot count is its end.
inline std::int64_t round_ps(double ps) {
  // a double this large has no places after the point: adding it rounds, without a call
  constexpr double kNoPlaces = 0x1.8p52;
  if (std::fabs(ps) < 0x1p51) return static_cast<std::int64_t>((ps + kNoPlaces) - kNoPlaces);
  return ps < 0x1p63 ? static_cast<std::int64_t>(std::nearbyint(ps)) : kEndOfClock;
}

/// A length of time in whole picoseconds. Requires that it is not below -106 days.
inline std::int64_t to_ps(Seconds length) {
  return round_ps(length.value() * 1e12);
}

/// `at_ps` and `length_ps` later, neither of them negative.
constexpr std::int64_t later_ps(std::int64_t at_ps, std::int64_t length_ps) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(at_ps, length_ps, &sum) ? kEndOfClock : sum;
}

constexpr Seconds to_seconds(std::int64_t ps) {
  return Seconds{static_cast<double>(ps) * 1e-12};
}
constexpr Seconds operator-(Instant later, Instant earlier) {
  return to_seconds(later.ps - earlier.ps);
}
inline Instant operator+(Instant at, Seconds length) {
  return {later_ps(at.ps, to_ps(length))};
}

}  // namespace paceline
