// SPDX-License-Identifier: MIT
/// \file
/// InfraGraph descriptions: devices as components and the connections between them. One device with
/// CPUs and accelerators is a machine; instances of several are a cluster, which is refused.
#pragma once
#include <string>

#include "topology/import/inventory.hpp"

namespace paceline {

bool is_infragraph(const std::string& text);
/// Throws SpecError.
Inventory read_infragraph(const std::string& file, const std::string& text);

}  // namespace paceline
