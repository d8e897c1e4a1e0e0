// SPDX-License-Identifier: MIT
/// \file
/// What stochastic gradient descent does to one weight.
#pragma once
#include "training/arithmetic/anywhere.hpp"

namespace paceline {

struct SgdStep {
  float rate = 0;

  static constexpr bool kMean = false, kSquares = false;
  /// The weight `w` after a step along `scale` x `g`.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& /*mean*/,
                                     float& /*squares*/) const {
    return w - rate * scale * g;
  }
};

}  // namespace paceline
