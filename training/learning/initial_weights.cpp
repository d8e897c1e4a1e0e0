// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/normal_noise.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

/// The number of weights that one output of the layer sums over.
std::int64_t fan_in(const Layer& layer) {
  if (layer.kind == LayerKind::fully_connected) return layer.in.elements();
  return static_cast<std::int64_t>(layer.in.channels) * layer.kernel_height * layer.kernel_width;
}

}  // namespace

// Weights that multiply follow He, Zhang, Ren & Sun, "Delving deep into rectifiers", ICCV 2015:
// normal of variance 2 / fan-in, so that ReLU layers preserve the scale of the activations.
// Embeddings, of tokens and positions, are standard normal, and an LSTM's weights and biases have
// the variance of the uniform distribution on +-1 / sqrt(units), both as in PyTorch
// (torch.nn.Embedding, torch.nn.LSTM). An LSTM's are normal here too, because the gates are
// functions of sums, which depend on the variance alone.
std::vector<float> initial_weights(const Network& network, std::uint64_t seed) {
  std::vector<float> weights(static_cast<std::size_t>(network.parameters()), 0.0f);
  const PhiloxCounter words =
      philox({0, static_cast<std::uint32_t>(Purpose::weights) << 16, 0, 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  std::size_t offset = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto size = static_cast<std::size_t>(layer.parameters);
    const std::span<float> mine = std::span(weights).subspan(offset, size);
    if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::fully_connected) {
      const std::size_t biases = layer.bias ? static_cast<std::size_t>(layer.out.channels) : 0;
      const auto deviation =
          static_cast<float>(std::sqrt(2.0 / static_cast<double>(fan_in(layer))));
      add_normal(mine.first(size - biases), deviation, {words[0], words[1]},
                 static_cast<std::uint32_t>(i));
    } else if (layer.kind == LayerKind::embedding || layer.kind == LayerKind::position) {
      add_normal(mine, 1.0f, {words[0], words[1]}, static_cast<std::uint32_t>(i));
    } else if (layer.kind == LayerKind::lstm) {
      const auto deviation =
          static_cast<float>(std::sqrt(1.0 / (3.0 * static_cast<double>(layer.out.channels))));
      add_normal(mine, deviation, {words[0], words[1]}, static_cast<std::uint32_t>(i));
    } else if ((layer.kind == LayerKind::batch_norm && layer.scale) ||
               layer.kind == LayerKind::layer_norm) {
      std::fill_n(mine.begin(), layer.out.channels, 1.0f);
    }
    offset += size;
  }
  return weights;
}

}  // namespace paceline
