// SPDX-License-Identifier: MIT
#include "exec/cuda/network/padded_input.hpp"

#include <algorithm>

namespace paceline::cuda {
namespace {

constexpr int kImage = 3;  // channels of red, green and blue
constexpr int kPadded = 4;

bool reads_input(const Layer& layer) {
  return std::ranges::find(layer.inputs, -1) != layer.inputs.end();
}

}  // namespace

Network with_padded_input(const Network& network, const NetworkSetting& setting) {
  Network padded = network;
  const bool halves = bytes_of(element_of(setting.precision)) == 2;
  if (!halves || setting.layout != Layout::nhwc || network.input.channels != kImage) return padded;
  for (const Layer& layer : network.layers) {
    if (reads_input(layer) && layer.kind != LayerKind::convolution) return padded;
  }
  padded.input.channels = kPadded;
  for (Layer& layer : padded.layers) {
    if (reads_input(layer)) layer.in.channels = kPadded;
  }
  return padded;
}

}  // namespace paceline::cuda
