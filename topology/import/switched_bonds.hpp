// SPDX-License-Identifier: MIT
/// \file
/// Detects NVLinks that must lead to NVSwitches although the source shows them between GPUs.
#pragma once
#include <map>

#include "topology/import/inventory.hpp"

namespace paceline {

/// On a machine with NVSwitches, a source may show each pair of GPUs as connected by all NVLinks of
/// a GPU. If all pairs of a group have equal bonds and their sum exceeds the NVLinks of each GPU,
/// the bonds are redirected to NVSwitches. `nvlinks`: the NVLinks of each GPU, by device.
void switch_alike_bonds(Inventory& inventory, const std::map<int, int>& nvlinks);

/// The number of NVLinks from each GPU, by device.
std::map<int, int> bonds_by_gpu(const Inventory& inventory);

}  // namespace paceline
