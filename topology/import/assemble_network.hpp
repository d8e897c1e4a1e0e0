// SPDX-License-Identifier: MIT
/// \file
/// Makes a cluster from a source's inventory of the network between computers. Its computers are
/// those of the source, of the user, or a preset with cards as fast.
#pragma once
#include <optional>

#include "topology/import/assemble.hpp"
#include "topology/import/network_inventory.hpp"

namespace paceline {

/// `computer` is the machine of each computer, where the source describes it. Throws SpecError for
/// a machine or a link of the user's that there is not.
ImportedMachine assemble_network(NetworkInventory network, std::optional<ImportedMachine> computer,
                                 const Assumptions& assumptions);

}  // namespace paceline
