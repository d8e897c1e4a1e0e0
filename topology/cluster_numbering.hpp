// SPDX-License-Identifier: MIT
/// \file
/// The numbers of the vertices and links of a cluster, worked out from its counts: nothing is
/// listed, so that a million GPUs cost what eight do. Private to this folder.
///
/// Vertices: all GPUs, all sockets, the other devices of each node, the switches. Links: those
/// within each node; then each switch's link upwards, before the links to its nodes' cards.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topology/network_spec.hpp"

namespace paceline {

/// A vertex or a link of a cluster by its place: of a node, or of the network.
struct ClusterPart {
  /// Vertices: `gpu`, `socket`, `device` of a node, `top`, `pod`, `leaf`; a rail is a leaf. Links:
  /// `inner`, `wire` of a node, `above_pod`, `above_leaf`.
  enum class Kind { gpu, socket, device, top, pod, leaf, inner, wire, above_pod, above_leaf };
  Kind kind = Kind::gpu;
  int owner = 0;   ///< the node, the pod or the leaf; 0 for the top
  int number = 0;  ///< within the owner; of links, a direction each
  auto operator<=>(const ClusterPart&) const = default;
};

/// A number of equal nodes, and what each of them has.
struct NodeRun {
  int count = 0;
  int gpus = 0;
  int sockets = 0;
  int devices = 0;  ///< other vertices
  int links = 0;    ///< directions within the node
  int cards = 0;    ///< that are linked to the network
};

class ClusterNumbering final {
 public:
  /// \param directions of a link to a card: 1 if half-duplex, else 2
  /// \throws std::overflow_error above 2^30 vertices or links
  ClusterNumbering(std::vector<NodeRun> runs, const NetworkSpec& network, int directions);

  int vertices() const { return vertices_; }
  int links() const { return links_; }
  int nodes() const { return nodes_; }
  int gpus() const { return gpus_; }
  int sockets() const { return devices_before_ - gpus_; }
  bool rails() const { return kind_ == NetworkShape::rails; }

  /// All of the above, for comparisons.
  std::string text() const;
  const std::vector<NodeRun>& runs() const { return runs_; }
  int run_of(int node) const;
  int first_of(int run) const { return firsts_[static_cast<std::size_t>(run)]; }
  /// The leaf that a node's cards are linked to, and the pod that a leaf is of; 0 where the network
  /// has no such, and on rails.
  int leaf_of(int node) const { return has_leaves() ? node / per_leaf_ : 0; }
  int pod_of(int leaf) const { return has_pods() ? leaf / per_pod_ : 0; }

  ClusterPart vertex(int id) const;
  int vertex(const ClusterPart& part) const;
  ClusterPart link(int id) const;
  int link(const ClusterPart& part) const;

 private:
  using Count = int NodeRun::*;
  bool has_leaves() const {
    return kind_ == NetworkShape::leaf_spine || kind_ == NetworkShape::fat_tree;
  }
  bool has_pods() const { return kind_ == NetworkShape::fat_tree; }
  /// The sum of a count over the nodes before `node`.
  std::int64_t sum(Count count, int node) const;
  /// The node that has the item of this number, and its number within it.
  std::pair<int, int> holder(Count count, int number) const;
  ClusterPart network_switch(int number) const;
  /// Links of the network, both directions as one: those before the first that is of `node`.
  std::int64_t wires_before(int node) const;
  ClusterPart network_link(int number) const;
  ClusterPart rail_link(int number) const;
  int first_of_rail(int rail) const;
  int nodes_on(int rail, int node) const;  ///< before `node`

  std::vector<NodeRun> runs_;
  std::vector<int> firsts_;  ///< by run: its first node
  NetworkShape kind_;
  int per_leaf_, per_pod_, directions_;
  int rails_ = 0;  ///< or the most cards of a node
  int nodes_ = 0, gpus_ = 0;
  int devices_before_ = 0, switches_before_ = 0, network_before_ = 0;
  int vertices_ = 0, links_ = 0;
};

}  // namespace paceline
