// SPDX-License-Identifier: MIT
#include "cli/model_sheet.hpp"

#include "models/load_network.hpp"
#include "models/memory.hpp"
#include "training/experiment/memory_of_point.hpp"

namespace paceline {
namespace {

/// The sums over the layers of a kind, or over all layers, per item.
struct Sum {
  std::int64_t layers = 0;
  std::int64_t parameters = 0;
  Flops forward, backward;
  void add(const Layer& layer) {
    ++layers;
    parameters += layer.parameters;
    forward = forward + layer.forward_flops();
    backward = backward + layer.backward_flops();
  }
};

std::string shape_of(const Network& network) {
  const Shape& shape = network.input;
  return std::to_string(shape.channels) + " x " + std::to_string(shape.height) + " x " +
         std::to_string(shape.width);
}

FactTable layers_of(const Network& network) {
  FactTable table{"layers", {"kind", "layers", "parameters", "forward", "backward"}, {}};
  for (const auto& kind : enum_rows<LayerKind>()) {
    Sum sum;
    for (const Layer& layer : network.layers) {
      if (layer.kind == kind.value) sum.add(layer);
    }
    if (sum.layers == 0) continue;
    table.rows.push_back({Fact::of(kind.name), Fact::of(sum.layers), Fact::of(sum.parameters),
                          Fact::of(sum.forward), Fact::of(sum.backward)});
  }
  return table;
}

FactTable memory_of(const Network& network) {
  FactTable table{"memory of a worker (fp32, SGD with momentum)",
                  {"batch", "total", "weights and gradients", "activations", "workspace"},
                  {}};
  for (const int batch : {1, 16, 32, 64, 128, 256}) {
    const MemoryNeed need = memory_needed(network, batch, {});
    table.rows.push_back({Fact::of(std::int64_t{batch}), Fact::of(need.total()),
                          Fact::of(need.weights + need.gradients + need.optimizer),
                          Fact::of(need.activations), Fact::of(need.workspace)});
  }
  return table;
}

}  // namespace

FactSheet model_sheet(const ListedThing& thing) {
  const Network network = load_network(Tree::scalar(thing.name));
  Sum all;
  for (const Layer& layer : network.layers) all.add(layer);
  FactSheet sheet;
  sheet.title = "model " + thing.name + (thing.help.empty() ? "" : ": " + thing.help);
  if (!network.source.empty()) sheet.facts.emplace_back("source", Fact::of(network.source));
  sheet.facts.emplace_back("item", Fact::of(network.item));
  sheet.facts.emplace_back("input", Fact::of(shape_of(network)));
  if (network.classes > 1) {
    sheet.facts.emplace_back("classes", Fact::of(std::int64_t{network.classes}));
  }
  sheet.facts.emplace_back("parameters", Fact::of(all.parameters));
  sheet.facts.emplace_back("gradient", Fact::of(Bytes{4.0 * static_cast<double>(all.parameters)}));
  if (network.classes == 0) return sheet;  // a synthetic network has no arithmetic
  sheet.facts.emplace_back("forward", Fact::of(all.forward));
  sheet.facts.back().second.text += " per item";
  sheet.facts.emplace_back("backward", Fact::of(all.backward));
  sheet.facts.back().second.text += " per item";
  sheet.tables = {layers_of(network), memory_of(network)};
  return sheet;
}

}  // namespace paceline
