// SPDX-License-Identifier: MIT
/// \file
/// The duration of a flow from its amount and rate. No other place computes it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace paceline {

/// The end of the clock, in picoseconds, which stands for never.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// `ps`, to be rounded to the nearest picosecond, such that halves and what is nearly one go up.
/// Rates that are simple fractions of each other often lead to halves, and the order in which a
/// network is solved, which depends on flows that have nothing to do with this one, changes the
/// last bits of a rate.
inline double without_tie(double ps) {
  return ps + std::max(1e-6, ps * 1e-15);
}

/// Picoseconds of `amount` units at `rate` units per second, not rounded. An amount of 0 takes 0 at
/// any rate; a flow that never ends takes infinitely long.
inline double flow_length_ps(double amount, double rate) {
  // Converts seconds to picoseconds before the division: for whole bytes the product is exact, so
  // only the division rounds.
  const double ps = amount > 0 ? amount * 1e12 / rate : 0;
  return std::isnan(ps) ? std::numeric_limits<double>::infinity() : ps;
}

/// The duration of a flow in whole picoseconds; kNever if it is beyond the range of the clock.
inline std::int64_t flow_ps(double amount, double rate) {
  const double ps = without_tie(flow_length_ps(amount, rate));
  return ps < 0x1p63 ? std::llrint(ps) : kNever;
}

}  // namespace paceline
