// SPDX-License-Identifier: MIT
/// \file
/// The network between the computers of a cluster: the `network:` of a machine.
#pragma once
#include <optional>
#include <string>

#include "experiments/language/description.hpp"
#include "experiments/language/share.hpp"

namespace paceline {

/// `one_switch`: all network cards on a switch of full bandwidth. `leaf_spine`: a switch for a
/// number of nodes, and a spine that joins these. `rails`: card i of every node on switch i, and a
/// spine. `fat_tree`: leaves, pods of leaves, and a core.
enum class NetworkShape { one_switch, leaf_spine, rails, fat_tree };
std::span<const EnumName<NetworkShape>> enum_names(const NetworkShape*);

struct NetworkSpec {
  NetworkShape kind = NetworkShape::one_switch;
  Tree link;      ///< between a card and its switch: a link's name, a path, or a map
  int cards = 0;  ///< of a node that are linked; 0: all, or one where the node has none
  int nodes_per_leaf = 16;
  int leaves_per_pod = 16;
  double oversubscription = 1;     ///< bandwidth into a switch / bandwidth up from it
  std::optional<bool> gpu_direct;  ///< cards read and write GPU memory; default: but for Ethernet
  bool sharp = false;              ///< the switches sum (InfiniBand SHARP)
  static void describe(Description<NetworkSpec>& d);
};

/// A network, or its link alone by name.
struct NetworkOrLink {
  NetworkSpec network;
};
template <>
struct Value<NetworkOrLink> {
  static TypeInfo type();
  static bool read(NetworkOrLink& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const NetworkOrLink& value);
};

}  // namespace paceline
