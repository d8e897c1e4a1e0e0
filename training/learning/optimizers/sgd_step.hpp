// SPDX-License-Identifier: MIT
/// \file
/// The update of one weight by stochastic gradient descent.
#pragma once
#include "training/learning/host_and_device.hpp"

namespace paceline {

struct SgdStep {
  float rate = 0;

  static constexpr bool kMean = false, kSquares = false;
  /// Returns the new weight after a step along the gradient `scale` x `g`.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& /*mean*/,
                                     float& /*squares*/) const {
    return w - rate * scale * g;
  }
};

}  // namespace paceline
