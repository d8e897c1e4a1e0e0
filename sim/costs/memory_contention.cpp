// SPDX-License-Identifier: MIT
#include "sim/costs/memory_contention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace paceline {

Seconds time_together(std::span<const LayerDraw> layers, int workers, BytesPerSecond bandwidth) {
  Seconds sum;
  for (const LayerDraw& layer : layers) {
    const Seconds shared = layer.traffic * workers / bandwidth;
    sum += std::clamp(shared, layer.time, layer.time * workers);
  }
  return sum;
}

BytesPerSecond bandwidth_of_groups(std::span<const LayerDraw> layers, int workers,
                                   Seconds together) {
  // Below the demand of the layer that needs least, of one worker, and above that of the layer that
  // needs most, of all P workers, the bandwidth makes no difference.
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const LayerDraw& layer : layers) {
    if (layer.traffic <= Bytes{0}) continue;
    const double demand = (layer.traffic / layer.time).value();
    least = std::min(least, demand);
    most = std::max(most, demand * workers);
  }
  if (most == 0) return {};
  if (time_together(layers, workers, BytesPerSecond{most}) >= together) return BytesPerSecond{most};
  while (most > least * (1 + 1e-9)) {
    const double middle = std::sqrt(least * most);
    if (middle <= least || middle >= most) break;  // no number lies between
    (time_together(layers, workers, BytesPerSecond{middle}) > together ? least : most) = middle;
  }
  return BytesPerSecond{most};
}

}  // namespace paceline
