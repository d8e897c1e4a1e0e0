// SPDX-License-Identifier: MIT
/// \file
/// The list that `nvidia-smi nvlink -s` prints: each GPU with its NVLinks.
#pragma once
#include <string>

#include "topology/import/inventory.hpp"

namespace paceline {

/// True if a text has an NVLink of such a list.
bool is_nvlink_status(const std::string& text);

/// GPUs with as many NVLinks as are active. The list does not say where they lead: two GPUs are
/// joined to each other, and more to NVSwitches if such GPUs are. Throws SpecError where that is
/// too much of a guess.
Inventory inventory_of_nvlink_status(const std::string& file, const std::string& text);

}  // namespace paceline
