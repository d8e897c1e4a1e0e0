// SPDX-License-Identifier: MIT
/// \file
/// A cluster's graph is that of a sample of its nodes (Expanded::sample): any two nodes have two in
/// the sample that are of the same kinds, on the same or different leaves, in the same or different
/// pods, and in the same order, so that the routes between them are the same, ties included. A
/// route may pass through further nodes only on rails, and there only through the first node of
/// another kind: a node of the kind of either end has no path that this end lacks. Private to this
/// folder.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "topology/cluster_numbering.hpp"

namespace paceline {

class ClusterSample final {
 public:
  /// The nodes, leaves and pods for which those of the sample stand; -1: none.
  struct Likeness {
    std::array<int, 2> sampled{-1, -1};  ///< nodes of the sample, and
    std::array<int, 2> nodes{-1, -1};    ///< those that they stand for; others for the first ones
    std::array<int, 3> leaves{-1, -1, -1};
    std::array<int, 2> pods{-1, -1};
  };

  /// \param vertices, links the parts of the sample, by id
  ClusterSample(ClusterNumbering whole, std::vector<ClusterPart> vertices,
                std::vector<ClusterPart> links);

  const ClusterNumbering& whole() const { return whole_; }
  /// Two vertices of the sample.
  struct Ends {
    int from, to;
    Likeness like;
  };
  /// For two vertices of the cluster.
  Ends ends(int from, int to) const;
  Likeness likeness_of_vertex(int id) const;
  Likeness likeness_of_link(int link) const;
  /// A vertex of the sample that has the figures of this one.
  int equal_vertex(int id) const;
  /// The pair of the sample for two vertices of the cluster, without their likeness.
  std::pair<int, int> sampled_pair(int from, int to) const;
  /// The vertex or link of the sample for one of the cluster.
  int sampled_vertex(int id, const Likeness& like) const;
  int sampled_link(int id, const Likeness& like) const;
  /// The vertex or link of the cluster for which one of the sample stands.
  int whole_vertex(int sampled, const Likeness& like) const;
  int whole_link(int sampled, const Likeness& like) const;
  /// The name of a vertex.
  /// \param sampled the name in the sample
  std::string name(int id, const std::string& sampled) const;

 private:
  struct Position {
    int pod = -1, leaf = -1, node = -1;
    auto operator<=>(const Position&) const = default;
  };
  Position position(const ClusterPart& part) const;
  Likeness likeness(Position one, Position other) const;
  int sampled_vertex(const ClusterPart& part) const;
  Ends ends(const ClusterPart& from, const ClusterPart& to) const;
  /// The part of the sample, and back.
  ClusterPart in_sample(ClusterPart part, const Likeness& like) const;
  ClusterPart in_whole(ClusterPart part, const Likeness& like) const;

  ClusterNumbering whole_;
  std::vector<ClusterPart> vertices_, links_;  // by id
  static constexpr std::size_t kVertexKinds = 6;
  std::array<std::vector<int>, kVertexKinds> first_vertices_;  // by kind and owner
  std::vector<std::pair<ClusterPart, int>> link_ids_;          // in the order of the parts
};

}  // namespace paceline
