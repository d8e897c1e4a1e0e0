// SPDX-License-Identifier: MIT
/// \file
/// Plain stochastic gradient descent.
#pragma once
#include "training/arithmetic/optimizer.hpp"

namespace paceline {

/// **Does** w <- w - rate * g, g the mean gradient. **Remembers** nothing.
struct Sgd final : Optimizer {
  static void describe(Description<Sgd>& d) { describe_step(d); }
  int copies() const override { return 0; }

 protected:
  void apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
             float scale, double rate, OptimizerState& state) const override;
};

}  // namespace paceline
