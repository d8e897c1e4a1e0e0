// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizers/momentum.hpp"

namespace paceline {

void Momentum::describe(Description<Momentum>& d) {
  describe_step(d);
  d.optional("momentum", &Momentum::momentum, "share of the velocity kept at each update")
      .at_least(0)
      .below(1);
}

OptimizerState Momentum::start(std::size_t parameters) const {
  OptimizerState state;
  state.mean.assign(parameters, 0.0f);
  return state;
}

void Momentum::apply(std::span<const float> from, std::span<float> to,
                     std::span<const float> gradient, float scale, double rate,
                     OptimizerState& state) const {
  const float keep = static_cast<float>(momentum);
  const float step = static_cast<float>(rate);
  const float* w = from.data();
  const float* g = gradient.data();
  float* v = state.mean.data();
  float* out = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    v[i] = keep * v[i] + scale * g[i];
    out[i] = w[i] - step * v[i];
  }
}

}  // namespace paceline
