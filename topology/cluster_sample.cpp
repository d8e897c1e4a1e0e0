// SPDX-License-Identifier: MIT
#include "topology/cluster_sample.hpp"

#include <algorithm>
#include <utility>

#include "topology/cluster.hpp"

namespace paceline {
namespace {

const ClusterPart& part_of(int id, const std::vector<ClusterPart>& parts) {
  return parts[static_cast<std::size_t>(id)];
}

/// Whether a vertex is of a node.
bool of_node(const ClusterPart& vertex) {
  return vertex.kind <= ClusterPart::Kind::device;
}

}  // namespace

ClusterSample::ClusterSample(ClusterNumbering whole, std::vector<ClusterPart> vertices,
                             std::vector<ClusterPart> links)
    : whole_(std::move(whole)), vertices_(std::move(vertices)), links_(std::move(links)) {
  for (std::size_t id = 0; id < vertices_.size(); ++id) {
    const ClusterPart& part = vertices_[id];
    std::vector<int>& firsts = first_vertices_[static_cast<std::size_t>(part.kind)];
    const auto owner = static_cast<std::size_t>(part.owner);
    if (firsts.size() <= owner) firsts.resize(owner + 1);
    if (part.number == 0) firsts[owner] = static_cast<int>(id);
  }
  for (const ClusterPart& part : links_)
    link_ids_.emplace_back(part, static_cast<int>(link_ids_.size()));
  std::ranges::sort(link_ids_);
}

ClusterSample::Position ClusterSample::position(const ClusterPart& part) const {
  using enum ClusterPart::Kind;
  switch (part.kind) {
    case top:
      return {};
    case pod:
    case above_pod:
      return {.pod = part.owner};
    case leaf:
    case above_leaf:  // each rail is in the sample
      if (whole_.rails()) return {};
      return {whole_.pod_of(part.owner), part.owner, -1};
    default: {
      const int leaf_of_node = whole_.leaf_of(part.owner);
      return {whole_.pod_of(leaf_of_node), leaf_of_node, part.owner};
    }
  }
}

ClusterSample::Likeness ClusterSample::likeness(Position one, Position other) const {
  if (other < one) std::swap(one, other);
  const auto differ = [](int a, int b) { return a >= 0 && b >= 0 && a != b; };
  const std::size_t pod = differ(one.pod, other.pod) ? 1 : 0;
  const std::size_t leaf = pod == 1 ? 2 : differ(one.leaf, other.leaf) ? 1 : 0;
  Likeness like;
  like.pods[0] = one.pod;
  if (other.pod >= 0) like.pods[pod] = other.pod;
  like.leaves[0] = one.leaf;
  if (other.leaf >= 0) like.leaves[leaf] = other.leaf;
  const auto sampled = [this](int node, std::size_t place) {
    return kSampleNodes * whole_.run_of(node) + static_cast<int>(place);
  };
  if (one.node >= 0) {
    like.nodes[0] = one.node;
    like.sampled[0] = sampled(one.node, 0);
  }
  if (other.node >= 0) {
    const bool neighbours = leaf == 0 && one.node >= 0 && one.node != other.node &&
                            whole_.run_of(one.node) == whole_.run_of(other.node);
    like.nodes[1] = other.node;
    like.sampled[1] = sampled(other.node, leaf == 0 ? (neighbours ? 1 : 0) : leaf + 1);
  }
  return like;
}

ClusterSample::Ends ClusterSample::ends(int from, int to) const {
  return ends(whole_.vertex(from), whole_.vertex(to));
}

ClusterSample::Ends ClusterSample::ends(const ClusterPart& from, const ClusterPart& to) const {
  const Likeness like = likeness(position(from), position(to));
  return {sampled_vertex(in_sample(from, like)), sampled_vertex(in_sample(to, like)), like};
}

ClusterSample::Likeness ClusterSample::likeness_of_vertex(int id) const {
  const Position one = position(whole_.vertex(id));
  return likeness(one, one);
}

ClusterSample::Likeness ClusterSample::likeness_of_link(int link) const {
  const Position one = position(whole_.link(link));
  return likeness(one, one);
}

ClusterPart ClusterSample::in_sample(ClusterPart part, const Likeness& like) const {
  using enum ClusterPart::Kind;
  const auto place = [&part](const auto& owners) {
    return static_cast<std::size_t>(std::ranges::find(owners, part.owner) - owners.begin());
  };
  if (part.kind == top) return part;
  if (part.kind == pod || part.kind == above_pod) {
    part.owner = static_cast<int>(place(like.pods));
  } else if (part.kind == leaf || part.kind == above_leaf) {
    if (!whole_.rails()) part.owner = static_cast<int>(place(like.leaves));
  } else {
    part.owner = like.sampled[place(like.nodes)];
  }
  return part;
}

ClusterPart ClusterSample::in_whole(ClusterPart part, const Likeness& like) const {
  using enum ClusterPart::Kind;
  const auto owner = static_cast<std::size_t>(part.owner);
  if (part.kind == top) return part;
  if (part.kind == pod || part.kind == above_pod) {
    part.owner = like.pods[owner];
  } else if (part.kind == leaf || part.kind == above_leaf) {
    if (!whole_.rails()) part.owner = like.leaves[owner];
  } else {
    const auto found = std::ranges::find(like.sampled, part.owner);
    part.owner = found == like.sampled.end()
                     ? whole_.first_of(part.owner / kSampleNodes)
                     : like.nodes[static_cast<std::size_t>(found - like.sampled.begin())];
  }
  return part;
}

int ClusterSample::sampled_vertex(int id, const Likeness& like) const {
  return sampled_vertex(in_sample(whole_.vertex(id), like));
}

int ClusterSample::sampled_vertex(const ClusterPart& part) const {
  const std::vector<int>& firsts = first_vertices_[static_cast<std::size_t>(part.kind)];
  return firsts[static_cast<std::size_t>(part.owner)] + part.number;
}

std::pair<int, int> ClusterSample::sampled_pair(int from, int to) const {
  ClusterPart a = whole_.vertex(from), b = whole_.vertex(to);
  if (!of_node(a) || !of_node(b) || a.owner != b.owner) {
    const Ends both = ends(a, b);
    return {both.from, both.to};
  }
  a.owner = b.owner = kSampleNodes * whole_.run_of(a.owner);
  return {sampled_vertex(a), sampled_vertex(b)};
}

int ClusterSample::equal_vertex(int id) const {
  ClusterPart part = whole_.vertex(id);
  if (of_node(part)) {
    part.owner = kSampleNodes * whole_.run_of(part.owner);
  } else if (!whole_.rails()) {
    part.owner = 0;
  }
  return sampled_vertex(part);
}

int ClusterSample::sampled_link(int id, const Likeness& like) const {
  const ClusterPart part = in_sample(whole_.link(id), like);
  using Known = decltype(link_ids_)::value_type;
  return std::ranges::lower_bound(link_ids_, part, {}, &Known::first)->second;
}

int ClusterSample::whole_vertex(int sampled, const Likeness& like) const {
  return whole_.vertex(in_whole(part_of(sampled, vertices_), like));
}

int ClusterSample::whole_link(int sampled, const Likeness& like) const {
  return whole_.link(in_whole(part_of(sampled, links_), like));
}

std::string ClusterSample::name(int id, const std::string& sampled) const {
  using enum ClusterPart::Kind;
  const ClusterPart part = whole_.vertex(id);
  const auto numbered = [](const char* stem, int number) { return stem + std::to_string(number); };
  switch (part.kind) {
    case gpu:
      return numbered("gpu", id);
    case socket:
      return numbered("cpu", id - whole_.gpus());
    case device:
      return numbered("n", part.owner) + sampled.substr(sampled.find('.'));
    case pod:
      return numbered("pod", part.owner);
    case leaf:
      return numbered(whole_.rails() ? "rail" : "leaf", part.owner);
    default:
      return sampled;
  }
}

}  // namespace paceline
