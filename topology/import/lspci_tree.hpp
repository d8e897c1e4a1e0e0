// SPDX-License-Identifier: MIT
/// \file
/// Reads the tree that `lspci -tv` and `lspci -tvnn` print: buses, bridges and the names of
/// devices.
#pragma once
#include <string>

#include "topology/import/inventory.hpp"

namespace paceline {

bool is_lspci_tree(const std::string& text);

/// GPUs and network cards are recognised by their names, as the tree does not say classes of
/// devices. Throws SpecError.
Inventory inventory_of_lspci(const std::string& file, const std::string& text);

}  // namespace paceline
