// SPDX-License-Identifier: MIT
/// \file
/// Topology files of NCCL and RCCL: what `NCCL_TOPO_DUMP_FILE` writes and `NCCL_TOPO_FILE` reads.
#pragma once
#include "topology/import/inventory.hpp"
#include "topology/import/xml.hpp"

namespace paceline {

/// The machine in a `<system>`. Throws SpecError.
Inventory inventory_of_nccl(const XmlElement& system);

}  // namespace paceline
