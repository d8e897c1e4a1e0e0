// SPDX-License-Identifier: MIT
/// \file
/// Reads the topologies of Slurm: topology.conf, with a tree of switches or blocks of computers.
#pragma once
#include <string>

#include "topology/import/network_inventory.hpp"

namespace paceline {

/// True if a line begins with SwitchName= or BlockName=.
bool is_slurm_topology(const std::string& text);

/// Throws SpecError.
NetworkInventory network_of_slurm(const std::string& file, const std::string& text);

}  // namespace paceline
