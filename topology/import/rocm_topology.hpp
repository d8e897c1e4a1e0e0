// SPDX-License-Identifier: MIT
/// \file
/// The tables that `rocm-smi --showtopo` and `amd-smi topology` print: the type of the link between
/// each two GPUs, the hops of it, and each GPU's NUMA node.
#pragma once
#include <string>

#include "topology/import/inventory.hpp"

namespace paceline {

/// True if a text has the table of link types.
bool is_rocm_topology(const std::string& text);

/// GPUs below the NUMA nodes that the text names, joined by xGMI. The output of `rocm-smi
/// --showproductname` above the tables names them. Throws SpecError.
Inventory inventory_of_rocm(const std::string& file, const std::string& text);

}  // namespace paceline
