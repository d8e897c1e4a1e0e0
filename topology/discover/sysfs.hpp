// SPDX-License-Identifier: MIT
/// \file
/// Reads the topology of this computer from Linux's /sys.
#pragma once
#include <filesystem>

#include "topology/import/inventory.hpp"

namespace paceline {

/// The sockets (NUMA nodes with processors) and the PCI devices below them, as far as `root`/sys
/// shows them. An empty /sys is not an error: it gives one socket.
Inventory inventory_of_sysfs(const std::filesystem::path& root);

/// Sets the rate of each device with an address to the maximum of its link, since idle cards run
/// their links slower.
void raise_rates(Inventory& inventory, const std::filesystem::path& root);

/// The computer's product name in the firmware, such as "DGX-1"; "" if unknown.
std::string product_name(const std::filesystem::path& root);

}  // namespace paceline
