// SPDX-License-Identifier: MIT
/// \file
/// A length of training: a number of rounds, or of epochs.
#pragma once
#include <compare>
#include <cstdint>

#include "experiments/language/value.hpp"

namespace paceline {

/// A number of rounds, or of epochs: `200`, or `2 epochs`.
struct Length {
  std::int64_t rounds = 0;
  double epochs = 0;  ///< used when not 0
  friend constexpr auto operator<=>(const Length&, const Length&) = default;
};
template <>
struct Value<Length> {
  static TypeInfo type();
  static bool read(Length& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Length& value);
};

}  // namespace paceline
