// SPDX-License-Identifier: MIT
/// \file
/// The bytes that a layer moves between a GPU's memory and its arithmetic. Each tensor counts once
/// for each pass over it, as if caches kept nothing between passes.
#pragma once
#include "experiments/language/units.hpp"
#include "models/network.hpp"

namespace paceline {

/// Bytes of a whole mini-batch.
struct LayerTraffic {
  Bytes forward, backward;
};

/// The traffic of `layer` for `batch` items of `element` bytes an element.
LayerTraffic layer_traffic(const Layer& layer, int batch, Bytes element);

}  // namespace paceline
