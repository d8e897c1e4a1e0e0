// SPDX-License-Identifier: MIT
#include "models/tensors.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace paceline {
namespace {

using Dimensions = std::vector<std::int64_t>;

/// The tensors of a layer in their order in memory (see Layer::parameters), by the ends of their
/// names.
std::vector<std::pair<const char*, Dimensions>> parts_of(const Layer& layer) {
  const std::int64_t in = layer.in.channels;
  const std::int64_t out = layer.out.channels;
  std::vector<std::pair<const char*, Dimensions>> parts;
  switch (layer.kind) {
    case LayerKind::convolution:
      parts.emplace_back("weight", Dimensions{out, in, layer.kernel_height, layer.kernel_width});
      break;
    case LayerKind::fully_connected:
      parts.emplace_back("weight", Dimensions{out, layer.in.elements()});
      break;
    case LayerKind::batch_norm:
      if (layer.scale) parts.emplace_back("weight", Dimensions{out});
      parts.emplace_back("bias", Dimensions{out});
      return parts;
    case LayerKind::layer_norm:
      return {{"weight", {out}}, {"bias", {out}}};
    case LayerKind::embedding:
      return {{"weight", {layer.vocabulary, out}}};
    case LayerKind::position:
      return {{"weight", {layer.in.height, in}}};
    case LayerKind::lstm:
      return {{"weight_ih", {4 * out, in}}, {"weight_hh", {4 * out, out}}, {"bias", {4 * out}}};
    default:  // synthetic: a gradient without a shape
      return {{"weight", {layer.parameters}}};
  }
  if (layer.bias) parts.emplace_back("bias", Dimensions{out});
  return parts;
}

}  // namespace

std::int64_t NamedTensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<NamedTensor> tensors_of(const Network& network) {
  std::vector<NamedTensor> tensors;
  std::int64_t offset = 0;
  for (const Layer& layer : network.layers) {
    if (layer.parameters == 0) continue;
    for (auto& [part, shape] : parts_of(layer)) {
      NamedTensor& tensor = tensors.emplace_back();
      tensor.name = layer.name + "." + part;
      tensor.shape = std::move(shape);
      tensor.offset = offset;
      offset += tensor.elements();
    }
  }
  return tensors;
}

}  // namespace paceline
