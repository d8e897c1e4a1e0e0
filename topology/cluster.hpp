// SPDX-License-Identifier: MIT
/// \file
/// Makes one machine of several: the nodes of a cluster, each a machine of its own, and the network
/// between them. GPUs and sockets are numbered through; a node's other vertices keep their names
/// behind the node's number: n3.plx0.
#pragma once
#include "topology/machine_spec.hpp"

namespace paceline {

/// Whether the description is of a cluster.
bool is_cluster(const MachineSpec& spec);
/// "4 x dgx1-p100"
std::string name_of_cluster(const MachineSpec& cluster);
/// "4 nodes with 32 GPUs, leaf-spine of infiniband-edr; one node of each kind is drawn"
/// \param whole  the expanded cluster
std::string title_of_folded(const MachineSpec& cluster, const MachineSpec& whole);

/// Reads the description that `value` names or is, and its title. Throws a SpecError with all
/// errors.
MachineSpec load_machine_spec(const Tree& value);

/// The machine that a cluster's description stands for, with `hosts` and `nodes_of`. Errors are
/// noted in `diagnostics`.
/// \param folded  one node of each kind instead of all, for drawings
MachineSpec expand_cluster(const MachineSpec& cluster, bool folded, Diagnostics& diagnostics);

}  // namespace paceline
