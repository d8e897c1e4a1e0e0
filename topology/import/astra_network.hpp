// SPDX-License-Identifier: MIT
/// \file
/// Reads the network files of ASTRA-sim: YAML or JSON with a shape, a number of NPUs, a bandwidth
/// and a latency for each dimension.
#pragma once
#include "topology/import/topology_source.hpp"

namespace paceline {

/// True also for the other files of ASTRA-sim, which have no network.
bool is_astra_file(const Tree& root);

/// NPUs are GPUs. The first dimension is a computer, the others are the network between computers.
/// Throws SpecError.
TopologySource source_of_astra(const Tree& root);

}  // namespace paceline
