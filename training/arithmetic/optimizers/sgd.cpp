// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizers/sgd.hpp"

namespace paceline {

void Sgd::describe(Description<Sgd>& d) {
  d.optional("learning_rate", &Sgd::learning_rate, "step along the mean gradient").above(0);
}

void Sgd::apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
                float scale, OptimizerState& /*state*/) const {
  const float rate = static_cast<float>(learning_rate) * scale;
  const float* w = from.data();
  const float* g = gradient.data();
  float* out = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) out[i] = w[i] - rate * g[i];
}

}  // namespace paceline
