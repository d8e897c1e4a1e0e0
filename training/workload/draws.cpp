// SPDX-License-Identifier: MIT
#include "training/workload/draws.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<Draws>> enum_names(const Draws*) {
  static constexpr std::array<EnumName<Draws>, 2> kNames{{
      {"exact", Draws::exact},
      {"extremes", Draws::extremes},
  }};
  return kNames;
}

}  // namespace paceline
