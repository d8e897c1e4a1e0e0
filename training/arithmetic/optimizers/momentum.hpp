// SPDX-License-Identifier: MIT
/// \file
/// Gradient descent with momentum.
#pragma once
#include "training/arithmetic/optimizer.hpp"

namespace paceline {

/// **Does** v <- momentum * v + g, then w <- w - rate * v, g the mean gradient. **Remembers** v, a
/// float a weight. **Source** the form of TensorFlow, Keras and PyTorch.
struct Momentum final : Optimizer {
  double momentum = 0.9;

  static void describe(Description<Momentum>& d);
  OptimizerState start(std::size_t parameters) const override;
  int copies() const override { return 1; }

 protected:
  void apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
             float scale, double rate, OptimizerState& state) const override;
};

}  // namespace paceline
