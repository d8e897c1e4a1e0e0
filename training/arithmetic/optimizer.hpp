// SPDX-License-Identifier: MIT
/// \file
/// Update rules: new weights from old weights and a sum of gradients. They run wherever the weights
/// are, over flat spans of a shard or a whole model, and never look at the network's layers.
#pragma once
#include <span>
#include <vector>

#include "experiments/family.hpp"

namespace paceline {

/// What a rule remembers between updates of one shard; empty for rules that remember nothing.
struct OptimizerState {
  std::vector<float> velocity;
};

/// An update rule. Immutable, so shards may share one; each keeps a state of its own.
struct Optimizer {
  virtual ~Optimizer() = default;
  /// The state of `parameters` weights before their first update.
  virtual OptimizerState start(std::size_t parameters) const;
  /// Writes the updated weights of `from` to `to`, given `scale` x `gradient` (a sum of gradients
  /// has scale 1 / count). All spans have one size; `to` may be `from` itself.
  virtual void apply(std::span<const float> from, std::span<float> to,
                     std::span<const float> gradient, float scale, OptimizerState& state) const = 0;
};

const Family<Optimizer>& table_of(const Optimizer*);

/// into += from, element by element; equal sizes.
void accumulate(std::span<float> into, std::span<const float> from);

}  // namespace paceline
