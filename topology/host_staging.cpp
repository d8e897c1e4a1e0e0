// SPDX-License-Identifier: MIT
// Copies between GPUs that have no access to each other's memory are staged through the memory of
// the first GPU's socket: one leg up to it and one leg down, which the driver starts
// `staging_latency` apart. Within a computer they share a link that stands for its memory
// (staging.hpp), and none is faster than a direct copy between the same GPUs would be. Copies to
// another computer are bound by the network.
#include <algorithm>
#include <utility>

#include "topology/graph.hpp"

namespace paceline {
namespace {

bool leaves_socket(LinkKind kind) {
  return kind == LinkKind::qpi || kind == LinkKind::upi || joins_computers(kind);
}

}  // namespace

bool Machine::Graph::may_be_peers(int from, int to, const Path& path) const {
  if (peer_pairs.contains(std::minmax(from, to))) return true;
  const bool networked = std::any_of(path.links.begin(), path.links.end(),
                                     [&](int id) { return joins_computers(link(id).kind); });
  if (networked && computers.size() > 1) return gpu_direct;
  switch (computer(from).peer_access) {
    case PeerAccess::all:
      return true;
    case PeerAccess::same_socket:
      return std::none_of(path.links.begin(), path.links.end(),
                          [&](int id) { return leaves_socket(link(id).kind); });
    case PeerAccess::same_switch:
      return std::all_of(path.between.begin(), path.between.end(),
                         [&](int v) { return vertex(v).kind == VertexKind::pcie_switch; });
    case PeerAccess::nvlink:
    case PeerAccess::none:
      return false;
  }
  return false;
}

Route Machine::Graph::staged(int from, int to) const {
  const int socket = sockets_of[static_cast<std::size_t>(from)];
  const int middle = host_vertices[static_cast<std::size_t>(socket)];
  Leg up = leg(from, middle, way_around_nvlink(from, middle));
  const Path way_down = way_by_cards(middle, to, cards_near(from), cards_near(to));
  Leg down = leg(middle, to, way_down);
  down.latency = computer(to).copies.staging_latency + way_down.latency();
  const int here = computer_of[static_cast<std::size_t>(from)];
  const int memory = staging_links[static_cast<std::size_t>(here)];
  if (here == computer_of[static_cast<std::size_t>(to)] && memory >= 0) {
    up.links.push_back(memory);
    up.limit = std::min({up.limit, *computer(from).copies.staging_limit,
                         leg(from, to, way_around_nvlink(from, to)).limit});
  }
  return {{std::move(up), std::move(down)}, true};
}

bool Machine::Graph::stages(int number) const {
  if (staging_links[static_cast<std::size_t>(number)] < 0) return false;
  const auto here = std::ranges::find(computer_of, number);  // its GPUs are one after another
  const int first = static_cast<int>(here - computer_of.begin());
  const int end = first + computers[static_cast<std::size_t>(number)].gpus;
  for (int from = first; from < end; ++from) {
    for (int to = first; to < end; ++to) {
      if (from != to && route(from, to).staged) return true;
    }
  }
  return false;
}

}  // namespace paceline
