// SPDX-License-Identifier: MIT
/// \file
/// LAMB: Adam with a rate for each layer.
#pragma once
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

/// **Does** m and s as Adam, then u = m' / (sqrt(s') + epsilon) + decay * w, and for each layer
/// w <- w - rate * |w| / |u| * u; m' and s' are corrected for their start. **Remembers** m and s,
/// two floats per weight. A layer that is split over shards has a ratio in each. **Source** You et
/// al. 2020, arXiv:1904.00962, algorithm 2.
struct Lamb final : Optimizer {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6;
  double decay = 0;

  static void describe(Description<Lamb>& d);
  Memory memory() const override { return {.mean = true, .squares = true}; }
  int reads_again() const override { return 3; }
  OptimizerStep step(double rate, std::int64_t update) const override;
};

}  // namespace paceline
