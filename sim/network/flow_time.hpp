// SPDX-License-Identifier: MIT
/// \file
/// Which way halves of the clock's resolution are rounded at the end of a flow.
#pragma once
#include <algorithm>

namespace paceline {

/// `ps`, to be rounded to the nearest picosecond, such that halves and what is nearly one go up.
/// Rates that are simple fractions of each other often lead to halves, and the order in which a
/// network is solved, which depends on flows that have nothing to do with this one, changes the
/// last bits of a rate.
inline double without_tie(double ps) {
  return ps + std::max(1e-6, ps * 1e-15);
}

}  // namespace paceline
