// SPDX-License-Identifier: MIT
/// \file
/// Adagrad's update of one weight.
#pragma once
#include <cmath>

#include "training/learning/host_and_device.hpp"

namespace paceline {

struct AdagradStep {
  float rate = 0;
  float least = 0;  ///< epsilon, added to the root

  static constexpr bool kMean = false, kSquares = true;
  /// Returns the new weight after a step along the gradient `scale` x `g`; adds its square to `s`.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& /*mean*/,
                                     float& s) const {
    const float mean = scale * g;
    s += mean * mean;
    return w - rate * mean / (std::sqrt(s) + least);
  }
};

}  // namespace paceline
