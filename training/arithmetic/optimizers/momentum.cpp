// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizers/momentum.hpp"

namespace paceline {

void Momentum::describe(Description<Momentum>& d) {
  d.optional("learning_rate", &Momentum::learning_rate, "step along the velocity").above(0);
  d.optional("momentum", &Momentum::momentum, "share of the velocity kept at each update")
      .at_least(0)
      .below(1);
}

OptimizerState Momentum::start(std::size_t parameters) const {
  OptimizerState state;
  state.velocity.assign(parameters, 0.0f);
  return state;
}

void Momentum::apply(std::span<const float> from, std::span<float> to,
                     std::span<const float> gradient, float scale, OptimizerState& state) const {
  const float keep = static_cast<float>(momentum);
  const float rate = static_cast<float>(learning_rate);
  const float* w = from.data();
  const float* g = gradient.data();
  float* v = state.velocity.data();
  float* out = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    v[i] = keep * v[i] + scale * g[i];
    out[i] = w[i] - rate * v[i];
  }
}

}  // namespace paceline
