// SPDX-License-Identifier: MIT
/// \file
/// The update of one weight by gradient descent with momentum.
#pragma once
#include "training/learning/host_and_device.hpp"

namespace paceline {

struct MomentumStep {
  float keep = 0;  ///< share of the velocity kept
  float rate = 0;

  static constexpr bool kMean = true, kSquares = false;
  /// Returns the new weight; updates its velocity `v` with the gradient `scale` x `g`.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& v,
                                     float& /*squares*/) const {
    v = keep * v + scale * g;
    return w - rate * v;
  }
};

}  // namespace paceline
