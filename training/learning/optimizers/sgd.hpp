// SPDX-License-Identifier: MIT
/// \file
/// Plain stochastic gradient descent.
#pragma once
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

/// **Does** w <- w - rate * g, g the mean gradient. **Remembers** nothing.
struct Sgd final : Optimizer {
  static void describe(Description<Sgd>& d) { describe_step(d); }
  Memory memory() const override { return {}; }
  OptimizerStep step(double rate, std::int64_t update) const override;
};

}  // namespace paceline
