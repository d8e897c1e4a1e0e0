// SPDX-License-Identifier: MIT
/// \file
/// Reads and writes quantities such as `25 MiB`, `12 GB/s` and `1.3 us`. There is one table of
/// units per dimension. A number without a unit is an error that names the allowed units.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "experiments/language/units.hpp"
#include "experiments/language/value.hpp"

namespace paceline {

/// One unit: a number in this unit is number x scale / per in the base unit. `per` keeps small
/// units exact (10 us is 10 / 1e6, but 10 x 1e-6 is off by one bit).
struct UnitRow {
  const char* suffix;
  double scale = 1;
  double per = 1;
  bool printed = true;  ///< false: accepted but never written (bits, since users expect bytes)
};

/// The type of a quantity with these units.
TypeInfo quantity_type(const char* what, std::span<const UnitRow> units);
/// Reads "number unit"; the space is optional. `what` is the dimension ("time", "size", ...).
/// Returns false after noting an error that names the allowed units.
bool read_quantity(double& out, const Tree& tree, const char* what, std::span<const UnitRow> units,
                   Diagnostics& diagnostics);
/// Writes a quantity in the unit that needs the fewest digits, preferring numbers from 1 to 1000.
/// The text reads back as exactly the same double.
std::string print_quantity(double value, std::span<const UnitRow> units);

/// The symbol of the unit that an English word in lower case names: "ms" for "msec"; "" if none.
std::string_view unit_of_word(std::string_view word);

std::span<const UnitRow> units_of(const Seconds*);
std::span<const UnitRow> units_of(const Bytes*);
std::span<const UnitRow> units_of(const BytesPerSecond*);
std::span<const UnitRow> units_of(const Flops*);
std::span<const UnitRow> units_of(const FlopsPerSecond*);
std::span<const UnitRow> units_of(const Watts*);
std::span<const UnitRow> units_of(const DollarsPerHour*);
const char* dimension_of(const Seconds*);
const char* dimension_of(const Bytes*);
const char* dimension_of(const BytesPerSecond*);
const char* dimension_of(const Flops*);
const char* dimension_of(const FlopsPerSecond*);
const char* dimension_of(const Watts*);
const char* dimension_of(const DollarsPerHour*);

template <class Unit>
struct Value<Quantity<Unit>> {
  using Q = Quantity<Unit>;
  static TypeInfo type() {
    const Q* tag = nullptr;
    return quantity_type(dimension_of(tag), units_of(tag));
  }
  static bool read(Q& out, const Tree& tree, Diagnostics& diagnostics) {
    double number = 0;
    const Q* tag = nullptr;
    if (!read_quantity(number, tree, dimension_of(tag), units_of(tag), diagnostics)) return false;
    out = Q{number};
    return true;
  }
  static Tree write(const Q& value) {
    return Tree::scalar(print_quantity(value.value(), units_of(static_cast<const Q*>(nullptr))));
  }
};

}  // namespace paceline
