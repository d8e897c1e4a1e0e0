// SPDX-License-Identifier: MIT
#include "models/sequence_length.hpp"

#include <algorithm>
#include <cassert>

namespace paceline {
namespace {

bool pools_all(const Layer& layer) {
  return layer.kind == LayerKind::average_pool && layer.kernel_height == layer.in.height &&
         layer.kernel_width == layer.in.width && layer.out.height == 1;
}

/// Whether the layer computes each position, or all positions together, at any length.
bool follows_length(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::embedding:
    case LayerKind::lstm:
    case LayerKind::position:
    case LayerKind::layer_norm:
    case LayerKind::gelu:
    case LayerKind::activation:
    case LayerKind::attention:
    case LayerKind::select:
    case LayerKind::dropout:
    case LayerKind::add:
    case LayerKind::concat:
    case LayerKind::softmax:
      return true;
    case LayerKind::convolution:
      return layer.kernel_height == 1 && layer.kernel_width == 1 && layer.stride == 1;
    case LayerKind::average_pool:
      return pools_all(layer);
    default:
      return false;
  }
}

/// The layer on `height` positions, where it had `layer.in.height`.
void shorten(Layer& layer, int height) {
  const std::int64_t before = layer.in.height;
  const bool keeps = layer.out.height == layer.in.height;
  if (pools_all(layer)) layer.kernel_height = height;
  layer.in.height = height;
  if (keeps) layer.out.height = height;
  if (layer.kind == LayerKind::attention) {
    layer.macs = 2 * std::int64_t{height} * height * layer.out.channels;
  } else {
    layer.macs = layer.macs / before * height;
    layer.loop_operations = layer.loop_operations / before * height;
  }
}

}  // namespace

std::string why_of_one_length(const Network& network) {
  if (network.vocabulary() == 0 || network.input.height < 2 || network.input.width != 1) {
    return "it reads no sequences of tokens";
  }
  std::vector<bool> sequence(network.layers.size());  // whether the layer's output is one
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const bool reads = std::ranges::any_of(layer.inputs, [&](int input) {
      return input < 0 || sequence[static_cast<std::size_t>(input)];
    });
    if (!reads) continue;
    if (!follows_length(layer)) {
      return "its layer '" + layer.name + "' needs all " + std::to_string(network.input.height) +
             " positions";
    }
    sequence[i] = layer.kind != LayerKind::select && !pools_all(layer);
  }
  return "";
}

int least_length(const Network& network) {
  int least = 1;
  for (const Layer& layer : network.layers) {
    if (layer.kind == LayerKind::select) least = std::max(least, layer.out.height);
  }
  return least;
}

Network at_length(const Network& network, int length) {
  assert(length >= least_length(network) && length <= network.input.height);
  Network shorter = network;
  shorter.input.height = length;
  for (Layer& layer : shorter.layers) {
    const int input = layer.inputs.front();
    const int height =
        input < 0 ? length : shorter.layers[static_cast<std::size_t>(input)].out.height;
    if (height != layer.in.height) shorten(layer, height);
  }
  return shorter;
}

}  // namespace paceline
