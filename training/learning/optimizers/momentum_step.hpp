// SPDX-License-Identifier: MIT
/// \file
/// What gradient descent with momentum does to one weight.
#pragma once
#include "training/arithmetic/anywhere.hpp"

namespace paceline {

struct MomentumStep {
  float keep = 0;  ///< share of the velocity kept
  float rate = 0;

  static constexpr bool kMean = true, kSquares = false;
  /// The weight `w` after a step of the velocity `v`, which `scale` x `g` has changed.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& v,
                                     float& /*squares*/) const {
    v = keep * v + scale * g;
    return w - rate * v;
  }
};

}  // namespace paceline
