// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizers/adam.hpp"

#include <cmath>

namespace paceline {

void Adam::describe(Description<Adam>& d) {
  describe_step(d);
  d.optional("beta1", &Adam::beta1, "share of the gradients' mean kept at each update")
      .at_least(0)
      .below(1);
  d.optional("beta2", &Adam::beta2, "share of the squares' mean kept at each update")
      .at_least(0)
      .below(1);
  d.optional("epsilon", &Adam::epsilon, "added to the root of the squares' mean").above(0);
}

OptimizerState Adam::start(std::size_t parameters) const {
  OptimizerState state;
  state.mean.assign(parameters, 0.0f);
  state.squares.assign(parameters, 0.0f);
  return state;
}

void Adam::apply(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
                 float scale, double rate, OptimizerState& state) const {
  const auto t = static_cast<double>(state.updates);
  const auto keep_mean = static_cast<float>(beta1);
  const auto keep_squares = static_cast<float>(beta2);
  const auto step = static_cast<float>(rate / (1 - std::pow(beta1, t)));
  const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, t)));
  const auto least = static_cast<float>(epsilon);
  const float* w = from.data();
  const float* g = gradient.data();
  float* m = state.mean.data();
  float* s = state.squares.data();
  float* out = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const float mean = scale * g[i];
    m[i] = keep_mean * m[i] + (1 - keep_mean) * mean;
    s[i] = keep_squares * s[i] + (1 - keep_squares) * mean * mean;
    out[i] = w[i] - step * m[i] / (root * std::sqrt(s[i]) + least);
  }
}

}  // namespace paceline
