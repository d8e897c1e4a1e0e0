// SPDX-License-Identifier: MIT
/// \file
/// Gradient descent with momentum.
#pragma once
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

/// **Does** v <- momentum * v + g, then w <- w - rate * v, g the mean gradient. **Remembers** v,
/// one float per weight. **Source** the form of TensorFlow, Keras and PyTorch.
struct Momentum final : Optimizer {
  double momentum = 0.9;

  static void describe(Description<Momentum>& d);
  Memory memory() const override { return {.mean = true, .squares = false}; }
  OptimizerStep step(double rate, std::int64_t update) const override;
};

}  // namespace paceline
