// SPDX-License-Identifier: MIT
/// \file
/// Shares: a fraction written `50 %`, and a number of workers written `3` or `50 %`.
#pragma once
#include <compare>

#include "experiments/language/value.hpp"

namespace paceline {

/// A fraction, written `50 %`. A plain number is an error.
struct Percent {
  double fraction = 0;
  friend constexpr auto operator<=>(Percent, Percent) = default;
};

/// A count of workers, or a share of them: `3`, or `50 %` = ceil(P/2).
struct CountOrShare {
  int count = 0;     ///< used when `share` is 0
  double share = 0;  ///< fraction of the workers, in (0, 1]
  /// The count for P = `workers`; a share gives at least 1.
  int of(int workers) const;
  bool set() const { return count != 0 || share != 0; }
  friend constexpr bool operator==(CountOrShare, CountOrShare) = default;
};

template <>
struct Value<Percent> {
  static TypeInfo type();
  static bool read(Percent& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Percent& value);
};

template <>
struct Value<CountOrShare> {
  static TypeInfo type();
  static bool read(CountOrShare& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const CountOrShare& value);
};

}  // namespace paceline
