// SPDX-License-Identifier: MIT
/// \file
/// NVLinks that can only lead to NVSwitches, though a source shows them between GPUs.
#pragma once
#include <map>

#include "topology/import/inventory.hpp"

namespace paceline {

/// Some GPUs of a machine with NVSwitches look as if each pair were joined by all of a GPU's
/// NVLinks: where all pairs of a group are alike and the sum is more than the GPUs have, their
/// bonds lead to NVSwitches afterwards. `nvlinks`: by device, how many that GPU has.
void switch_alike_bonds(Inventory& inventory, const std::map<int, int>& nvlinks);

/// By device: how many NVLinks lead from each GPU.
std::map<int, int> bonds_by_gpu(const Inventory& inventory);

}  // namespace paceline
