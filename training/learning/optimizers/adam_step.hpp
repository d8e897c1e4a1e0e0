// SPDX-License-Identifier: MIT
/// \file
/// Adam's update of one weight.
#pragma once
#include <cmath>

#include "training/learning/host_and_device.hpp"

namespace paceline {

struct AdamStep {
  float keep_mean = 0;     ///< beta1
  float keep_squares = 0;  ///< beta2
  float rate = 0;          ///< divided by 1 - beta1^t
  float root = 0;          ///< 1 / sqrt(1 - beta2^t)
  float least = 0;         ///< epsilon, added to the root

  static constexpr bool kMean = true, kSquares = true;
  /// Returns the new weight; updates its moments `m` and `s` with the gradient `scale` x `g`.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& m, float& s) const {
    const float mean = scale * g;
    m = keep_mean * m + (1 - keep_mean) * mean;
    s = keep_squares * s + (1 - keep_squares) * mean * mean;
    return w - rate * m / (root * std::sqrt(s) + least);
  }
};

}  // namespace paceline
