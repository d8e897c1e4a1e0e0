// SPDX-License-Identifier: MIT
/// \file
/// Reads trees of switches in YAML: Slurm's topology.yaml, and the models of topograph.
#pragma once
#include "topology/import/network_inventory.hpp"

namespace paceline {

/// True for a list of topologies, and for a mapping of switches or blocks.
bool is_switch_yaml(const Tree& root);

/// Throws SpecError.
NetworkInventory network_of_switch_yaml(const Tree& root);

}  // namespace paceline
