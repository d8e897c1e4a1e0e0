// SPDX-License-Identifier: MIT
/// \file
/// The `layer_times:` key of an experiment: the source of the times of a GPU's layers.
#pragma once
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {

/// The permitted sources of the times of a GPU's layers.
enum class LayerTimesRule {
  automatic,  ///< the experiment's own published row, else a profile, else a shipped row, else the
              ///< roofline
  roofline,   ///< the roofline, even if other times are known
};
std::span<const EnumName<LayerTimesRule>> enum_names(const LayerTimesRule*);

}  // namespace paceline
