// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/optimizer.hpp"

#include <cmath>

#include "training/learning/optimizers/adagrad.hpp"
#include "training/learning/optimizers/adam.hpp"
#include "training/learning/optimizers/lamb.hpp"
#include "training/learning/optimizers/lars.hpp"
#include "training/learning/optimizers/momentum.hpp"
#include "training/learning/optimizers/sgd.hpp"

namespace paceline {

float Optimizer::clipped(float scale, double squares) const {
  if (!clip) return scale;
  const double norm = std::abs(static_cast<double>(scale)) * std::sqrt(squares);
  return norm > *clip ? static_cast<float>(static_cast<double>(scale) * (*clip / norm)) : scale;
}

OptimizerState Optimizer::start(std::size_t parameters) const {
  OptimizerState state;
  if (memory().mean) state.mean.assign(parameters, 0.0f);
  if (memory().squares) state.squares.assign(parameters, 0.0f);
  return state;
}

void Optimizer::update(std::span<const float> from, std::span<float> to,
                       std::span<const float> gradient, float scale, double rate,
                       OptimizerState& state) const {
  if (clip) scale = clipped(scale, squared_norm(gradient));
  take_step(step(rate, ++state.updates), {from, to, gradient, state.mean, state.squares, {}},
            scale);
}

const Family<Optimizer>& table_of(const Optimizer*) {
  static const Family<Optimizer> table{
      "optimizer",
      {
          variant<Sgd, Optimizer>("sgd", "stochastic gradient descent"),
          variant<Momentum, Optimizer>("momentum", "gradient descent with a decaying velocity"),
          variant<Adagrad, Optimizer>("adagrad",
                                      "each weight's rate falls with its past gradients"),
          variant<Adam, Optimizer>("adam", "decaying means of gradients and of their squares"),
          variant<Lamb, Optimizer>("lamb", "adam with a rate for each layer"),
          variant<Lars, Optimizer>("lars", "momentum with a rate for each layer"),
      }};
  return table;
}

void accumulate(std::span<float> into, std::span<const float> from) {
  float* out = into.data();
  const float* in = from.data();
  for (std::size_t i = 0; i < into.size(); ++i) out[i] += in[i];
}

void accumulate(std::span<float> into, std::span<const float> from, float weight) {
  float* out = into.data();
  const float* in = from.data();
  for (std::size_t i = 0; i < into.size(); ++i) out[i] += weight * in[i];
}

double squared_norm(std::span<const float> a) {
  double sum = 0;
  for (const float x : a) sum += static_cast<double>(x) * static_cast<double>(x);
  return sum;
}

double squared_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace paceline
