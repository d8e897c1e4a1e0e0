// SPDX-License-Identifier: MIT
/// \file
/// Topologies in YAML or JSON, which differ in their keys. Each is one row of a table.
#pragma once
#include <string>

#include "topology/import/topology_source.hpp"

namespace paceline {

/// True if a line has a key of such a topology.
bool is_yaml_topology(const std::string& text);

/// Throws SpecError.
TopologySource source_of_yaml(const std::string& file, const std::string& text);

}  // namespace paceline
