// SPDX-License-Identifier: MIT
/// \file
/// Quantities with units: a double tagged with its unit, so that arithmetic compiles only if the
/// dimensions agree. Used for every number in seconds, bytes, operations, watts or dollars;
/// `value()` is the only way to get the plain number.
#pragma once
#include <compare>
#include <cstdint>

namespace paceline {

/// A double tagged with its unit. The class has sums and comparisons within a unit and scaling by a
/// plain number; the physically meaningful products and quotients are defined below.
template <class Unit>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  /// The number in the base unit that `Unit` names (s, B, B/s, FLOP, FLOP/s, W, J, USD, USD/h).
  constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity{a.value_ + b.value_};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity{a.value_ - b.value_};
  }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity{a.value_ * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return a * k; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity{a.value_ / k}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr Quantity& operator+=(Quantity b) { return *this = *this + b; }
  constexpr Quantity& operator-=(Quantity b) { return *this = *this - b; }

 private:
  double value_ = 0;
};

using Seconds = Quantity<struct SecondUnit>;
using Bytes = Quantity<struct ByteUnit>;
using BytesPerSecond = Quantity<struct BytePerSecondUnit>;
using Flops = Quantity<struct FlopUnit>;
using FlopsPerSecond = Quantity<struct FlopPerSecondUnit>;
using Watts = Quantity<struct WattUnit>;
using Joules = Quantity<struct JouleUnit>;
using Dollars = Quantity<struct DollarUnit>;                ///< US dollars
using DollarsPerHour = Quantity<struct DollarPerHourUnit>;  ///< the unit of rental prices

constexpr Seconds operator/(Bytes b, BytesPerSecond r) {
  return Seconds{b.value() / r.value()};
}
constexpr Bytes operator*(BytesPerSecond r, Seconds t) {
  return Bytes{r.value() * t.value()};
}
constexpr Bytes operator*(Seconds t, BytesPerSecond r) {
  return r * t;
}
constexpr BytesPerSecond operator/(Bytes b, Seconds t) {
  return BytesPerSecond{b.value() / t.value()};
}
constexpr Seconds operator/(Flops f, FlopsPerSecond r) {
  return Seconds{f.value() / r.value()};
}
constexpr FlopsPerSecond operator/(Flops f, Seconds t) {
  return FlopsPerSecond{f.value() / t.value()};
}
constexpr Joules operator*(Watts p, Seconds t) {
  return Joules{p.value() * t.value()};
}
constexpr Dollars operator*(DollarsPerHour p, Seconds t) {
  return Dollars{p.value() * (t.value() / 3600)};
}

/// Literals for tests and examples; hardware numbers live in YAML.
namespace literals {
constexpr Seconds operator""_s(long double v) {
  return Seconds{static_cast<double>(v)};
}
constexpr Seconds operator""_ms(long double v) {
  return Seconds{static_cast<double>(v) / 1e3};
}
constexpr Seconds operator""_us(long double v) {
  return Seconds{static_cast<double>(v) / 1e6};
}
constexpr Bytes operator""_B(unsigned long long v) {
  return Bytes{static_cast<double>(v)};
}
constexpr Bytes operator""_MB(unsigned long long v) {
  return Bytes{static_cast<double>(v) * 1e6};
}
constexpr Bytes operator""_MiB(unsigned long long v) {
  return Bytes{static_cast<double>(v) * 1048576};
}
constexpr BytesPerSecond operator""_GBps(long double v) {
  return BytesPerSecond{static_cast<double>(v) * 1e9};
}
}  // namespace literals

}  // namespace paceline
