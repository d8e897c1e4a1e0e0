// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizer.hpp"

#include "training/arithmetic/optimizers/momentum.hpp"
#include "training/arithmetic/optimizers/sgd.hpp"

namespace paceline {

OptimizerState Optimizer::start(std::size_t /*parameters*/) const {
  return {};
}

const Family<Optimizer>& table_of(const Optimizer*) {
  static const Family<Optimizer> table{
      "optimizer",
      {
          variant<Sgd, Optimizer>("sgd", "stochastic gradient descent"),
          variant<Momentum, Optimizer>("momentum", "gradient descent with a decaying velocity"),
      }};
  return table;
}

void accumulate(std::span<float> into, std::span<const float> from) {
  float* out = into.data();
  const float* in = from.data();
  for (std::size_t i = 0; i < into.size(); ++i) out[i] += in[i];
}

}  // namespace paceline
