// SPDX-License-Identifier: MIT
/// \file
/// Adam: steps of about the same length in every weight.
#pragma once
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

/// **Does** m <- beta1 m + (1 - beta1) g and s <- beta2 s + (1 - beta2) g^2, g the mean gradient,
/// then at update t: w <- w - rate * m' / (sqrt(s') + epsilon) with m' = m / (1 - beta1^t) and
/// s' = s / (1 - beta2^t). **Remembers** m and s. **Source** Kingma & Ba, ICLR 2015, algorithm 1.
struct Adam final : Optimizer {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  Adam() { learning_rate = 0.001; }
  static void describe(Description<Adam>& d);
  Memory memory() const override { return {.mean = true, .squares = true}; }
  OptimizerStep step(double rate, std::int64_t update) const override;
};

}  // namespace paceline
