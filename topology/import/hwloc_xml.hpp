// SPDX-License-Identifier: MIT
/// \file
/// Topologies of hwloc as XML (`lstopo machine.xml`), versions 1 and 2; discovering this computer
/// has hwloc write the same.
#pragma once
#include "topology/import/inventory.hpp"
#include "topology/import/xml.hpp"

namespace paceline {

/// The machine in a `<topology>`, which may have no GPU. Throws SpecError.
Inventory inventory_of_hwloc(const XmlElement& topology);

}  // namespace paceline
