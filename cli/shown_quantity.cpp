// SPDX-License-Identifier: MIT
#include "cli/shown_quantity.hpp"

#include <cmath>

#include "training/runtime/assertion.hpp"

namespace paceline {

std::string shown_quantity(double value, std::span<const UnitRow> units) {
  if (!std::isfinite(value)) return "unlimited";
  const UnitRow* best = nullptr;
  const auto factor = [](const UnitRow& unit) { return unit.scale / unit.per; };
  for (const UnitRow& unit : units) {
    // binary units are used only for sizes that are round in them
    const bool decimal = std::string_view(unit.suffix).find("iB") == std::string_view::npos;
    if (!unit.printed || !decimal) continue;
    if (best == nullptr) {
      best = &unit;
      continue;
    }
    const bool fits = std::fabs(value) >= factor(unit);
    const bool best_fits = std::fabs(value) >= factor(*best);
    if (fits != best_fits ? fits : (fits == (factor(unit) > factor(*best)))) best = &unit;
  }
  PACELINE_ASSERT(best != nullptr);  // every dimension has a unit that is printed
  if (value == 0) return "0";
  return significant(value / factor(*best), 4) + " " + best->suffix;
}

}  // namespace paceline
