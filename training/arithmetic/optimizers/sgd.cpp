// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizers/sgd.hpp"

namespace paceline {

void Sgd::apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
                float scale, double rate, OptimizerState& /*state*/) const {
  const float step = static_cast<float>(rate) * scale;
  const float* w = from.data();
  const float* g = gradient.data();
  float* out = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) out[i] = w[i] - step * g[i];
}

}  // namespace paceline
