// SPDX-License-Identifier: MIT
#include "models/network.hpp"

#include <array>

#include "experiments/language/description.hpp"
#include "models/limits.hpp"

namespace paceline {

std::span<const EnumName<LayerKind>> enum_names(const LayerKind*) {
  using enum LayerKind;
  static constexpr std::array<EnumName<LayerKind>, 21> kNames{{
      {"convolution", convolution},
      {"fully_connected", fully_connected},
      {"batch_norm", batch_norm},
      {"activation", activation},
      {"max_pool", max_pool},
      {"average_pool", average_pool},
      {"add", add},
      {"concat", concat},
      {"dropout", dropout},
      {"softmax", softmax},
      {"synthetic", synthetic},
      {"local_response_norm", local_response_norm},
      {"pad", pad},
      {"squared_error", squared_error},
      {"embedding", embedding},
      {"lstm", lstm},
      {"position", position},
      {"layer_norm", layer_norm},
      {"gelu", gelu},
      {"attention", attention},
      {"select", select},
  }};
  return kNames;
}

void Shape::describe(Description<Shape>& d) {
  d.required("channels", &Shape::channels, "channels of an item, or elements of a vector")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("height", &Shape::height, "rows of an item").at_least(1).at_most(kMostPixels);
  d.optional("width", &Shape::width, "columns of an item").at_least(1).at_most(kMostPixels);
}

Flops Layer::forward_flops() const {
  if (macs > 0) return Flops{2.0 * static_cast<double>(macs)};
  if (kind == LayerKind::synthetic) return Flops{};
  // A concat reads as many elements as it writes; every other layer reads one tensor of shape `in`
  // per input.
  const double read = kind == LayerKind::concat
                          ? static_cast<double>(out.elements())
                          : static_cast<double>(in.elements()) * static_cast<double>(inputs.size());
  return Flops{read + static_cast<double>(out.elements())};
}

Flops Layer::backward_flops() const {
  return forward_flops() * (macs > 0 ? 2.0 : 1.0);
}

std::int64_t Network::parameters() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.parameters;
  return sum;
}

int Network::tensors() const {
  int sum = 0;
  for (const Layer& layer : layers) sum += layer.tensors;
  return sum;
}

std::int64_t Network::macs() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.macs;
  return sum;
}

int Network::first_embedding() const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    if (layer.kind == LayerKind::embedding && layer.inputs.front() < 0) return static_cast<int>(i);
  }
  return -1;
}

int Network::vocabulary() const {
  const int embedding = first_embedding();
  return embedding < 0 ? 0 : layers[static_cast<std::size_t>(embedding)].vocabulary;
}

std::vector<std::int64_t> Network::parameter_offsets() const {
  std::vector<std::int64_t> offsets;
  offsets.reserve(layers.size());
  std::int64_t next = 0;
  for (const Layer& layer : layers) {
    offsets.push_back(next);
    next += layer.parameters;
  }
  return offsets;
}

}  // namespace paceline
