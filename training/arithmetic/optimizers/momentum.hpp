// SPDX-License-Identifier: MIT
/// \file
/// Gradient descent with momentum.
#pragma once
#include "training/arithmetic/optimizer.hpp"

namespace paceline {

/// **Does** v <- momentum * v + g, then w <- w - learning_rate * v, g the mean gradient.
/// **Remembers** v, a float a weight. **Source** the form of TensorFlow, Keras and PyTorch.
struct Momentum final : Optimizer {
  double learning_rate = 0.1;
  double momentum = 0.9;

  static void describe(Description<Momentum>& d);
  OptimizerState start(std::size_t parameters) const override;
  void apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
             float scale, OptimizerState& state) const override;
};

}  // namespace paceline
