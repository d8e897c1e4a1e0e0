// SPDX-License-Identifier: MIT
/// \file
/// Reads what `ibnetdiscover` prints: the switches and cards of an InfiniBand network, with the
/// cable and the speed of each port.
#pragma once
#include <string>

#include "topology/import/network_inventory.hpp"

namespace paceline {

bool is_ib_discovery(const std::string& text);

/// Computers are distinguished by the names of their cards ("node17 mlx5_0"). Throws SpecError.
NetworkInventory network_of_ib(const std::string& file, const std::string& text);

}  // namespace paceline
