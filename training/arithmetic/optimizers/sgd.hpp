// SPDX-License-Identifier: MIT
/// \file
/// Plain stochastic gradient descent.
#pragma once
#include "training/arithmetic/optimizer.hpp"

namespace paceline {

/// **Does** w <- w - learning_rate * g, g the mean gradient. **Remembers** nothing.
struct Sgd final : Optimizer {
  double learning_rate = 0.1;

  static void describe(Description<Sgd>& d);
  void apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
             float scale, OptimizerState& state) const override;
};

}  // namespace paceline
