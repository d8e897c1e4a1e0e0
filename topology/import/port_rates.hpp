// SPDX-License-Identifier: MIT
/// \file
/// Rates of PCIe links that virtual machines make up.
#pragma once
#include "topology/import/inventory.hpp"

namespace paceline {

/// Forgets the rate of a link of generation 2 or less above a link that is two or more generations
/// faster: the ports of virtual machines report 2.5 or 5 GT/s without basis. Adds a note.
void forget_slow_ports(Inventory& inventory);

}  // namespace paceline
