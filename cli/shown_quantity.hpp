// SPDX-License-Identifier: MIT
/// \file
/// Formats quantities for people: four digits and a suitable unit. Files keep every digit instead.
#pragma once
#include <span>
#include <string>

#include "cli/text_table.hpp"
#include "experiments/language/unit_table.hpp"

namespace paceline {

/// `value`, given in the base unit, as "12.34 ms": in the largest printed unit in which it is at
/// least 1.
std::string shown_quantity(double value, std::span<const UnitRow> units);

template <class Unit>
std::string shown(Quantity<Unit> value) {
  return shown_quantity(value.value(), units_of(static_cast<const Quantity<Unit>*>(nullptr)));
}

}  // namespace paceline
