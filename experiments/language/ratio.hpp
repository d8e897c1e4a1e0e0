// SPDX-License-Identifier: MIT
/// \file
/// A ratio, written either as a number (`0.5`) or in percent (`50 %`).
#pragma once
#include <compare>

#include "experiments/language/value.hpp"

namespace paceline {

struct Ratio {
  double value = 0;
  operator double() const { return value; }  // NOLINT(google-explicit-constructor): it is one
  friend constexpr auto operator<=>(Ratio, Ratio) = default;
};

template <>
struct Value<Ratio> {
  static TypeInfo type();
  static bool read(Ratio& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Ratio& value);
};

}  // namespace paceline
