// SPDX-License-Identifier: MIT
/// \file
/// Quantities for people: four digits and the unit that suits them. Files keep every digit instead.
#pragma once
#include <span>
#include <string>

#include "cli/text_table.hpp"
#include "experiments/unit_table.hpp"

namespace paceline {

/// `value`, in the base unit, as "12.34 ms": in the largest printed unit of which it has at least
/// one.
std::string shown_quantity(double value, std::span<const UnitRow> units);

template <class Unit>
std::string shown(Quantity<Unit> value) {
  return shown_quantity(value.value(), units_of(static_cast<const Quantity<Unit>*>(nullptr)));
}

}  // namespace paceline
