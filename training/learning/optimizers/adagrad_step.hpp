// SPDX-License-Identifier: MIT
/// \file
/// What Adagrad does to one weight.
#pragma once
#include <cmath>

#include "training/arithmetic/anywhere.hpp"

namespace paceline {

struct AdagradStep {
  float rate = 0;
  float least = 0;  ///< added to the root

  static constexpr bool kMean = false, kSquares = true;
  /// The weight `w` after a step along `scale` x `g`, whose square has joined the sum `s`.
  PACELINE_ANYWHERE float operator()(float scale, float w, float g, float& /*mean*/,
                                     float& s) const {
    const float mean = scale * g;
    s += mean * mean;
    return w - rate * mean / (std::sqrt(s) + least);
  }
};

}  // namespace paceline
