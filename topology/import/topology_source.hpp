// SPDX-License-Identifier: MIT
/// \file
/// The contents of a topology file: a computer, a network between computers, or both.
#pragma once
#include <optional>

#include "topology/import/inventory.hpp"
#include "topology/import/network_inventory.hpp"

namespace paceline {

struct TopologySource {
  std::optional<Inventory> computer;
  std::optional<NetworkInventory> network;
};

}  // namespace paceline
