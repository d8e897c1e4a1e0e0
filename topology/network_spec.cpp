// SPDX-License-Identifier: MIT
#include "topology/network_spec.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace paceline {

std::span<const EnumName<NetworkShape>> enum_names(const NetworkShape*) {
  static constexpr std::array<EnumName<NetworkShape>, 4> kNames{
      {{"switch", NetworkShape::one_switch},
       {"leaf-spine", NetworkShape::leaf_spine},
       {"rails", NetworkShape::rails},
       {"fat-tree", NetworkShape::fat_tree}}};
  return kNames;
}

void NetworkSpec::describe(Description<NetworkSpec>& d) {
  d.optional("kind", &NetworkSpec::kind, "switches between the nodes");
  d.required("link", &NetworkSpec::link,
             "link between a network card and its switch: a preset, a path, or a mapping as in "
             "`link_types`");
  d.optional("cards", &NetworkSpec::cards,
             "network cards of a node that are linked; 0: all. A node without cards gets this "
             "number, at least one, on its sockets in turn")
      .at_least(0)
      .at_most(64);
  d.optional("nodes_per_leaf", &NetworkSpec::nodes_per_leaf, "nodes on a leaf switch")
      .at_least(1)
      .at_most(4096);
  d.optional("leaves_per_pod", &NetworkSpec::leaves_per_pod, "leaves of a pod of a fat tree")
      .at_least(1)
      .at_most(4096);
  d.optional("oversubscription", &NetworkSpec::oversubscription,
             "bandwidth into a switch from below / bandwidth up from it")
      .at_least(1.0)
      .at_most(1000.0);
  d.optional("gpu_direct", &NetworkSpec::gpu_direct,
             "network cards read and write GPU memory; else copies are staged in host memory "
             "(default: true, but false for Ethernet)");
  d.optional("sharp", &NetworkSpec::sharp,
             "the switches sum (InfiniBand SHARP), which NCCL uses for an all-reduce");
}

namespace {

/// Refuses the figures of switches that the network has not. Those of a file that the program wrote
/// are there too, with their defaults.
bool check_switches(const NetworkSpec& network, const Tree& tree, Diagnostics& diagnostics) {
  const NetworkSpec plain;
  const bool pods = network.kind == NetworkShape::fat_tree;
  const bool leaves = pods || network.kind == NetworkShape::leaf_spine;
  const bool uplinks = network.kind != NetworkShape::one_switch;
  const auto check = [&](const char* key, bool used, bool changed, const char* where) {
    if (used || !changed) return true;
    const Tree kind = Value<NetworkShape>::write(network.kind);
    diagnostics.error(tree.find(key)->at, quote(key) + " has no effect on a network of kind " +
                                              quote(kind.text) + " (leave it out, or use " + where +
                                              ")");
    return false;
  };
  const bool all_used[] = {
      check("nodes_per_leaf", leaves, network.nodes_per_leaf != plain.nodes_per_leaf,
            "leaf-spine or fat-tree"),
      check("leaves_per_pod", pods, network.leaves_per_pod != plain.leaves_per_pod, "fat-tree"),
      check("oversubscription", uplinks, network.oversubscription != plain.oversubscription,
            "leaf-spine, rails or fat-tree")};
  return std::ranges::all_of(all_used, std::identity());
}

}  // namespace

TypeInfo Value<NetworkOrLink>::type() {
  TypeInfo info = Value<NetworkSpec>::type();
  info.also = "the name of a link: one switch of such links";
  return info;
}

bool Value<NetworkOrLink>::read(NetworkOrLink& out, const Tree& tree, Diagnostics& diagnostics) {
  if (tree.is_map())
    return Value<NetworkSpec>::read(out.network, tree, diagnostics) &&
           check_switches(out.network, tree, diagnostics);
  out.network.link = tree;
  return true;
}

Tree Value<NetworkOrLink>::write(const NetworkOrLink& value) {
  return Value<NetworkSpec>::write(value.network);
}

}  // namespace paceline
