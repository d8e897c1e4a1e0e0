// SPDX-License-Identifier: MIT
#include "models/kinds/synthetic.hpp"

#include <cmath>

#include "models/limits.hpp"

namespace paceline {

namespace {

std::int64_t parameters_of(const Synthetic& synthetic) {
  return std::llround(synthetic.gradient.value() / 4);
}

}  // namespace

void Synthetic::describe(Description<Synthetic>& d) {
  d.optional("compute", &Synthetic::compute, "one mini-batch, forward and backward as 1:2")
      .at_least(Seconds{0})
      .at_most(Seconds{kMostSyntheticSeconds});
  d.optional("gradient", &Synthetic::gradient, "size of the gradient, 4 bytes a parameter")
      .at_least(Bytes{4})
      .at_most(Bytes{4 * kMostOfALayer});
  d.optional("tensors", &Synthetic::tensors, "equal layers that it is split into")
      .at_least(1)
      .at_most(kMostLayers);
}

std::string Synthetic::invalid() const {
  if (parameters_of(*this) >= tensors) return "";
  return "'gradient' has fewer parameters than 'tensors'";
}

Network Synthetic::make(const Location&, Diagnostics&) const {
  Network network;
  network.item = "samples";
  const std::int64_t parameters = parameters_of(*this);
  for (int i = 0; i < tensors; ++i) {
    Layer layer;
    layer.name = "synthetic" + std::to_string(i);
    layer.kind = LayerKind::synthetic;
    layer.inputs = {i - 1};
    layer.parameters = parameters / tensors + (i < parameters % tensors ? 1 : 0);
    layer.tensors = 1;
    layer.synthetic_forward = compute / (3.0 * tensors);
    layer.synthetic_backward = compute * 2.0 / (3.0 * tensors);
    network.layers.push_back(std::move(layer));
  }
  return network;
}
}  // namespace paceline
