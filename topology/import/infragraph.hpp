// SPDX-License-Identifier: MIT
/// \file
/// Reads InfraGraph files: a server's device as a computer, and instances of servers and switches
/// as a network.
#pragma once
#include "topology/import/topology_source.hpp"

namespace paceline {

bool is_infragraph(const Tree& root);

/// Throws SpecError for a file without a device with GPUs and without a network.
TopologySource source_of_infragraph(const Tree& root);

}  // namespace paceline
