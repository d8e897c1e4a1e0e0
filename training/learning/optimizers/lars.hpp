// SPDX-License-Identifier: MIT
/// \file
/// LARS: momentum with a rate for each layer.
#pragma once
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

/// **Does** for each layer v <- momentum * v + rate * trust * |w| / (|g| + decay * |w|) *
/// (g + decay * w), then w <- w - v, g the mean gradient. **Remembers** v, one float per weight. A
/// layer that is split over shards has a ratio in each. **Source** You, Gitman and Ginsburg 2017,
/// arXiv:1708.03888, algorithm 1.
struct Lars final : Optimizer {
  double momentum = 0.9;
  double decay = 0;
  double trust = 0.001;

  static void describe(Description<Lars>& d);
  Memory memory() const override { return {.mean = true, .squares = false}; }
  int reads_again() const override { return 2; }
  OptimizerStep step(double rate, std::int64_t update) const override;
};

}  // namespace paceline
