// SPDX-License-Identifier: MIT
/// \file
/// Makes one machine of several: the nodes of a cluster, each a machine of its own, and the network
/// between them. GPUs and sockets are numbered through; a node's other vertices keep their names
/// behind the node's number: n3.plx0.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "topology/cluster_numbering.hpp"
#include "topology/machine_spec.hpp"

namespace paceline {

/// Whether the description is of a cluster.
bool is_cluster(const MachineSpec& spec);
/// "4 x dgx1-p100"
std::string name_of_cluster(const MachineSpec& cluster);
/// "4 nodes with 32 GPUs, leaf-spine of infiniband-edr; one node of each kind is drawn"
std::string title_of_folded(const MachineSpec& cluster, const ClusterNumbering& whole);

/// Reads the description that `value` names or is, and its title. Throws a SpecError with all
/// errors.
MachineSpec load_machine_spec(const Tree& value);

/// Which nodes of a cluster are expanded. `one_of_each` kind is for drawings. A `sample` has
/// kSampleNodes nodes of each kind, on leaves and in pods as kSampleLeaves and kSamplePods say.
enum class Expanded { all, one_of_each, sample };
inline constexpr int kSampleNodes = 4;
inline constexpr std::array<int, kSampleNodes> kSampleLeaves{0, 0, 1, 2};  ///< by node of its kind
inline constexpr std::array<int, 3> kSamplePods{0, 0, 1};                  ///< by leaf

/// Nodes and network of a cluster as one machine.
struct ExpandedCluster {
  MachineSpec spec;                   ///< with `computers`
  std::vector<NodeRun> runs;          ///< of the whole cluster; `links` is 0
  std::vector<ClusterPart> vertices;  ///< by id; owners are nodes of the machine
  std::vector<ClusterPart> rows;      ///< by row of links; a wire's number is its card
};

/// Errors are noted in `diagnostics`.
ExpandedCluster expand_cluster(const MachineSpec& cluster, Expanded nodes,
                               Diagnostics& diagnostics);

}  // namespace paceline
