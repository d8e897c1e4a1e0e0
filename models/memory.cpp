// SPDX-License-Identifier: MIT
#include "models/memory.hpp"

#include <algorithm>
#include <vector>

namespace paceline {
namespace {

constexpr Bytes kMaster{4};  // an fp32 weight, gradient or optimizer state

constexpr double kLstmValues = 5;  // four gates and the cell per output element

bool keeps_input(LayerKind kind) {
  using enum LayerKind;
  return kind == convolution || kind == fully_connected || kind == batch_norm || kind == max_pool ||
         kind == local_response_norm || kind == embedding || kind == lstm || kind == layer_norm ||
         kind == gelu || kind == attention;
}

bool keeps_output(LayerKind kind) {
  using enum LayerKind;
  return kind == activation || kind == max_pool || kind == local_response_norm || kind == softmax ||
         kind == squared_error || kind == lstm;
}

double largest_layer_elements(const Network& network) {
  double largest = 0;
  for (const Layer& layer : network.layers) {
    if (layer.kind == LayerKind::synthetic) continue;
    largest = std::max(largest, static_cast<double>(layer.in.elements() + layer.out.elements()));
  }
  return largest;
}

}  // namespace

std::vector<Bytes> kept_by_layer(const Network& network, Bytes element, bool fused_attention) {
  // Entry 0 is the network's input, entry i + 1 the output of layer i.
  std::vector<bool> needed(network.layers.size() + 1, false);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (keeps_output(layer.kind)) needed[i + 1] = true;
    if (!keeps_input(layer.kind)) continue;
    for (const int input : layer.inputs) needed[static_cast<std::size_t>(input) + 1] = true;
  }
  std::vector<Bytes> kept;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto out = static_cast<double>(layer.out.elements());
    double elements = needed[i + 1] ? out : 0;
    if (i == 0 && needed[0]) elements += static_cast<double>(network.input.elements());
    if (layer.kind == LayerKind::lstm) elements += kLstmValues * out;
    if (!fused_attention) elements += static_cast<double>(layer.attention_shares());
    const double mask = layer.kind == LayerKind::dropout ? out : 0;
    kept.push_back(element * elements + Bytes{mask});
  }
  return kept;
}

Bytes forward_peak(const Network& network, Bytes element) {
  const std::size_t layers = network.layers.size();
  // by tensor: 0 is the network's input, which is kept, i + 1 the output of layer i
  std::vector<std::size_t> last_reader(layers + 1, 0);
  for (std::size_t i = 0; i < layers; ++i) {
    for (const int input : network.layers[i].inputs)
      last_reader[static_cast<std::size_t>(input) + 1] = i;
  }
  std::int64_t live = network.input.elements(), peak = live;
  std::vector<std::int64_t> freed_after(layers, 0);
  for (std::size_t i = 0; i < layers; ++i) {
    const Layer& layer = network.layers[i];
    const bool in_place = layer.kind == LayerKind::activation &&
                          last_reader[static_cast<std::size_t>(layer.inputs.front()) + 1] == i &&
                          layer.inputs.front() >= 0;
    const std::int64_t out = layer.out.elements();
    peak = std::max(peak, live + (in_place ? 0 : out));
    freed_after[std::max(i, last_reader[i + 1])] += out;
    live += out - freed_after[i];
  }
  return element * static_cast<double>(peak);
}

MemoryNeed memory_needed(const Network& network, int batch, const MemoryAssumptions& assumptions) {
  const double parameters = static_cast<double>(network.parameters());
  const double items = batch;
  const Bytes copy = assumptions.element < kMaster ? assumptions.element : Bytes{0};
  MemoryNeed need;
  need.weights = (kMaster + copy) * parameters;
  need.gradients = kMaster * parameters;
  need.exchange = kMaster * static_cast<double>(assumptions.exchange_parameters);
  need.optimizer = kMaster * parameters * static_cast<double>(assumptions.optimizer_copies);
  for (const Bytes kept : kept_by_layer(network, assumptions.element, assumptions.fused_attention))
    need.activations = need.activations + kept * items;
  need.workspace = assumptions.element * (2 * items * largest_layer_elements(network));
  return need;
}

}  // namespace paceline
