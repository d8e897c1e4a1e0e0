// SPDX-License-Identifier: MIT
/// \file
/// A point in time on either clock: integer picoseconds since the run began (range 106 days), so
/// that the order of events never depends on the last bit of a double.
#pragma once
#include <cmath>
#include <compare>
#include <cstdint>

#include "experiments/units.hpp"

namespace paceline {

/// Picoseconds since the run began.
struct Instant {
  std::int64_t ps = 0;
  friend constexpr auto operator<=>(Instant, Instant) = default;
};

/// A length of time in whole picoseconds, rounded half to even.
/// Beyond 100 days it saturates: no run lasts that long, and a sum of two stays representable.
inline std::int64_t to_ps(Seconds length) {
  constexpr double kLongest = 8.64e18 / 2;
  const double ps = length.value() * 1e12;
  return static_cast<std::int64_t>(std::nearbyint(ps < kLongest ? ps : kLongest));
}

constexpr Seconds to_seconds(std::int64_t ps) {
  return Seconds{static_cast<double>(ps) * 1e-12};
}
constexpr Seconds operator-(Instant later, Instant earlier) {
  return to_seconds(later.ps - earlier.ps);
}
inline Instant operator+(Instant at, Seconds length) {
  return {at.ps + to_ps(length)};
}

}  // namespace paceline
