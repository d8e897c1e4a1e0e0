// SPDX-License-Identifier: MIT
/// \file
/// Switches with the computers on them as a graph, as lists of cables and trees of switches give
/// it, and the shape of network that this graph has.
#pragma once
#include <string>
#include <vector>

#include "topology/import/network_inventory.hpp"

namespace paceline {

struct SwitchGraph {
  static constexpr int kUnnamed = -1;
  /// A card of a computer and its switch. A card may not say which computer it is of.
  struct Port {
    int computer = kUnnamed;
    int at = 0;             ///< a switch
    double gbit_per_s = 0;  ///< 0: unknown
  };
  /// A cable between two switches.
  struct Trunk {
    int a = 0, b = 0;
    double gbit_per_s = 0;  ///< 0: unknown
  };
  std::string origin;
  int computers = 0;  ///< those with names
  int switches = 0;
  std::vector<Port> ports;
  std::vector<Trunk> trunks;
  std::vector<std::string> notes;
};

/// The network of a graph with at least one port. Leaves are the switches with computers; those
/// that the cards of one computer are on count as one leaf, and leaves with a switch in common
/// above them are a pod.
NetworkInventory network_of(SwitchGraph graph);

}  // namespace paceline
