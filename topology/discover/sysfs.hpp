// SPDX-License-Identifier: MIT
/// \file
/// Linux's /sys as a source of topology.
#pragma once
#include <filesystem>

#include "topology/import/inventory.hpp"

namespace paceline {

/// Sockets (NUMA nodes with processors) and the PCI devices below them, as far as /sys below `root`
/// shows them. Nothing there is no error: a machine of one socket.
Inventory inventory_of_sysfs(const std::filesystem::path& root);

/// Gives each device with an address the rate that its link can have: idle cards run theirs slower.
void raise_rates(Inventory& inventory, const std::filesystem::path& root);

/// What the computer's firmware calls it: "DGX-1"; or "".
std::string product_name(const std::filesystem::path& root);

}  // namespace paceline
