// SPDX-License-Identifier: MIT
/// \file
/// Reads hwloc topologies in XML, versions 1 and 2: files of `lstopo machine.xml`, and hwloc's
/// output when this computer is discovered.
#pragma once
#include "experiments/language/xml.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

/// The machine in a `<topology>` element; it may have no GPU. Throws SpecError.
Inventory inventory_of_hwloc(const XmlElement& topology);

}  // namespace paceline
