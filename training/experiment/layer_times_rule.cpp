// SPDX-License-Identifier: MIT
#include "training/experiment/layer_times_rule.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<LayerTimesRule>> enum_names(const LayerTimesRule*) {
  static constexpr std::array<EnumName<LayerTimesRule>, 2> kNames{{
      {"auto", LayerTimesRule::automatic},
      {"roofline", LayerTimesRule::roofline},
  }};
  return kNames;
}

}  // namespace paceline
