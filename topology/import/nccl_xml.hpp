// SPDX-License-Identifier: MIT
/// \file
/// Reads topology files of NCCL and RCCL: the format that `NCCL_TOPO_DUMP_FILE` writes and
/// `NCCL_TOPO_FILE` reads.
#pragma once
#include "experiments/language/xml.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

/// The machine in a `<system>` element. Throws SpecError.
Inventory inventory_of_nccl(const XmlElement& system);

}  // namespace paceline
