// SPDX-License-Identifier: MIT
/// \file
/// Adagrad: a learning rate per weight, which falls as the weight's gradients accumulate.
#pragma once
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline {

/// **Does** s <- s + g^2, then w <- w - rate * g / (sqrt(s) + epsilon), g the mean gradient,
/// element by element. **Remembers** s, one float per weight. **Source** Duchi, Hazan & Singer,
/// JMLR 12, 2011; kept in each shard of the parameters by Dean et al., "Large scale distributed
/// deep networks", NIPS 2012.
struct Adagrad final : Optimizer {
  double epsilon = 1e-8;

  static void describe(Description<Adagrad>& d);
  Memory memory() const override { return {.mean = false, .squares = true}; }
  OptimizerStep step(double rate, std::int64_t update) const override;
};

}  // namespace paceline
