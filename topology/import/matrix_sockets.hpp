// SPDX-License-Identifier: MIT
/// \file
/// Cells SYS that lead to no other socket.
#pragma once
#include "topology/import/topo_matrix.hpp"

namespace paceline {

/// Turns SYS into NODE between devices that the CPU affinities put on one socket. Virtual machines
/// and boards with several NUMA nodes a socket show SYS between all host bridges. A device that is
/// SYS from all GPUs has no affinity of its own: it goes to the first socket where the affinities
/// show several, and all of these are one more socket where they show one. Adds a note.
void join_parts_of_sockets(TopoMatrix& matrix);

}  // namespace paceline
