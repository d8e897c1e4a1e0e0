// SPDX-License-Identifier: MIT
/// \file
/// A ratio that people write either way: `0.5`, or `50 %`.
#pragma once
#include <compare>

#include "experiments/value.hpp"

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
