// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizers/adagrad.hpp"

#include <cmath>

namespace paceline {

void Adagrad::describe(Description<Adagrad>& d) {
  describe_step(d);
  d.optional("epsilon", &Adagrad::epsilon, "added to the root of the sum, so that it is not 0")
      .above(0);
}

OptimizerState Adagrad::start(std::size_t parameters) const {
  OptimizerState state;
  state.squares.assign(parameters, 0.0f);
  return state;
}

void Adagrad::apply(std::span<const float> from, std::span<float> to,
                    std::span<const float> gradient, float scale, double rate,
                    OptimizerState& state) const {
  const float step = static_cast<float>(rate);
  const float least = static_cast<float>(epsilon);
  const float* w = from.data();
  const float* g = gradient.data();
  float* s = state.squares.data();
  float* out = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const float mean = scale * g[i];
    s[i] += mean * mean;
    out[i] = w[i] - step * mean / (std::sqrt(s[i]) + least);
  }
}

}  // namespace paceline
