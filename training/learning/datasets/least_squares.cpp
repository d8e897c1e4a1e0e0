// SPDX-License-Identifier: MIT
#include "training/learning/datasets/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "training/learning/datasets/draw_key.hpp"
#include "training/learning/normal_noise.hpp"

namespace paceline {
namespace {

/// The random stream of the noise; items use the streams below it.
constexpr std::uint32_t kNoise = std::numeric_limits<std::uint32_t>::max();

/// Whether the network is one weighted sum of its inputs.
bool is_linear(const Network& network) {
  return network.layers.size() == 2 && network.layers.front().kind == LayerKind::fully_connected &&
         network.layers.back().kind == LayerKind::squared_error;
}

}  // namespace

void LeastSquares::describe(Description<LeastSquares>& d) {
  d.optional("noise", &LeastSquares::noise, "standard deviation of a target's noise")
      .at_least(0)
      .at_most(1e6);
  d.optional("condition", &LeastSquares::condition, "condition number of the loss's Hessian")
      .at_least(1)
      .at_most(1e12);
}

std::vector<double> LeastSquares::spectrum(std::int64_t inputs) const {
  std::vector<double> values(static_cast<std::size_t>(inputs), 1.0);
  const double last = std::max(1.0, static_cast<double>(inputs - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::pow(condition, -static_cast<double>(i) / last);
  }
  return values;
}

std::vector<float> LeastSquares::optimum(const Shape& input, std::uint64_t seed) const {
  return truth(input, seed)->optimum;
}

std::shared_ptr<const LeastSquares::Truth> LeastSquares::truth(const Shape& input,
                                                               std::uint64_t seed) const {
  return truth_.of({seed, input, 1}, [&] {
    Truth truth;
    for (const double variance : spectrum(input.elements())) {
      truth.deviations.push_back(static_cast<float>(std::sqrt(variance)));
    }
    truth.optimum.assign(truth.deviations.size(), 0.0f);
    add_normal(truth.optimum, 1.0f, draw_key(seed, DrawUse::truth), 0);
    return truth;
  });
}

void LeastSquares::draw(const Shape& input, int /*classes*/, std::uint64_t seed, int worker,
                        std::int64_t step, std::span<float> inputs,
                        std::span<float> targets) const {
  const auto elements = static_cast<std::size_t>(input.elements());
  const auto known = truth(input, seed);
  const PhiloxKey key = draw_key(seed, DrawUse::items, worker, step);
  std::fill(inputs.begin(), inputs.end(), 0.0f);
  std::fill(targets.begin(), targets.end(), 0.0f);
  add_normal(targets, static_cast<float>(noise), key, kNoise);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::span<float> row = inputs.subspan(i * elements, elements);
    add_normal(row, 1.0f, key, static_cast<std::uint32_t>(i));
    float sum = 0;
    for (std::size_t k = 0; k < elements; ++k) {
      row[k] *= known->deviations[k];
      sum += row[k] * known->optimum[k];
    }
    targets[i] += sum;
  }
}

std::optional<double> LeastSquares::exact_loss(const Network& network, std::uint64_t seed,
                                               std::span<const float> weights) const {
  if (!is_linear(network)) return {};
  const auto known = truth(network.input, seed);
  double sum = 0;
  for (std::size_t i = 0; i < known->optimum.size(); ++i) {
    const auto deviation = static_cast<double>(known->deviations[i]);
    const double error =
        deviation * (static_cast<double>(weights[i]) - static_cast<double>(known->optimum[i]));
    sum += error * error;
  }
  for (const float bias : weights.subspan(known->optimum.size())) {
    sum += static_cast<double>(bias) * static_cast<double>(bias);
  }
  return sum / 2 + optimal_loss();
}

std::string LeastSquares::unfit(const Network& network) const {
  const bool predicts =
      !network.layers.empty() && network.layers.back().kind == LayerKind::squared_error;
  if (!predicts) return "its targets are values, but the network does not end in a squared error";
  return network.vocabulary() > 0 ? "it draws no token ids, which the network reads" : "";
}

}  // namespace paceline
