// SPDX-License-Identifier: MIT
#include "sim/nccl/call_flows.hpp"

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {
namespace {

/// The ring's ranks, computer by computer.
std::vector<std::vector<int>> parts_of(const RankPlaces& places, const std::vector<int>& ring) {
  std::vector<std::vector<int>> parts;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (i == 0 || !places.same_computer(ring[i - 1], ring[i])) parts.emplace_back();
    parts.back().push_back(ring[i]);
  }
  return parts;
}

void add_both_ways(std::vector<LibraryFlow>& flows, int a, int b, double bytes) {
  flows.push_back({a, b, bytes});
  flows.push_back({b, a, bytes});
}

void add_chains(std::vector<LibraryFlow>& flows, const std::vector<std::vector<int>>& parts,
                double bytes) {
  for (const std::vector<int>& part : parts) {
    for (std::size_t i = 1; i < part.size(); ++i) add_both_ways(flows, part[i - 1], part[i], bytes);
  }
}

/// Between the first ranks of the parts.
void add_trees(std::vector<LibraryFlow>& flows, const std::vector<std::vector<int>>& parts,
               double bytes) {
  const auto computers = static_cast<int>(parts.size());
  for (int place = 0; place < computers; ++place) {
    for (const int parent : double_tree_parents(place, computers)) {
      if (parent < 0) continue;
      add_both_ways(flows, parts[static_cast<std::size_t>(place)].front(),
                    parts[static_cast<std::size_t>(parent)].front(), bytes / 2);
    }
  }
}

/// Each computer sends the bytes and receives their sum, over the links to any neighbour.
void add_sums(std::vector<LibraryFlow>& flows, const std::vector<std::vector<int>>& parts,
              double bytes) {
  for (std::size_t i = 0; parts.size() > 1 && i < parts.size(); ++i) {
    flows.push_back({parts[i].front(), parts[(i + 1) % parts.size()].front(), bytes});
  }
}

/// By two trees of computers, or by switches between them that sum.
void add_between(std::vector<LibraryFlow>& flows, const std::vector<std::vector<int>>& parts,
                 double bytes, bool trees) {
  (trees ? add_trees : add_sums)(flows, parts, bytes);
}

double share_of_ring(const RankPlaces& places, double bytes) {
  return bytes / static_cast<double>(places.rings.rings.size());
}

/// A chain within each computer.
std::vector<LibraryFlow> chain_flows(const RankPlaces& places, double bytes, bool trees) {
  std::vector<LibraryFlow> flows;
  for (const std::vector<int>& ring : places.rings.rings) {
    const auto parts = parts_of(places, ring);
    add_chains(flows, parts, share_of_ring(places, bytes));
    add_between(flows, parts, share_of_ring(places, bytes), trees);
  }
  return flows;
}

}  // namespace

std::vector<LibraryFlow> ring_flows(const RankPlaces& places, Operation operation, double bytes) {
  std::vector<LibraryFlow> flows;
  for (const std::vector<int>& ring : places.rings.rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const int from = ring[i];
      const int to = ring[(i + 1) % ring.size()];
      // a broadcast ends before its root, a reduction begins after it
      if (operation == Operation::broadcast && to == 0) continue;
      if (operation == Operation::reduce && from == 0) continue;
      flows.push_back({from, to, share_of_ring(places, bytes)});
    }
  }
  return flows;
}

std::vector<LibraryFlow> tree_flows(const RankPlaces& places, double bytes) {
  return chain_flows(places, bytes, true);
}

std::vector<LibraryFlow> collnet_flows(const RankPlaces& places, double bytes) {
  return chain_flows(places, bytes, false);
}

std::vector<LibraryFlow> nvls_flows(const RankPlaces& places, double bytes, bool trees,
                                    double share) {
  std::vector<LibraryFlow> flows;
  for (const std::vector<int>& ring : places.rings.rings) {
    const auto parts = parts_of(places, ring);
    for (const std::vector<int>& part : parts) {
      const auto size = static_cast<double>(part.size());
      const double sent = share_of_ring(places, bytes * (1 + 1 / size)) / share;
      for (std::size_t i = 0; i < part.size(); ++i)
        flows.push_back({part[i], part[(i + 1) % part.size()], sent});
    }
    add_between(flows, parts, share_of_ring(places, bytes), trees);
  }
  return flows;
}

std::vector<LibraryFlow> pair_flows(const RankPlaces& places, double bytes) {
  std::vector<LibraryFlow> flows;
  for (int from = 0; from < places.count; ++from) {
    for (int to = 0; to < places.count; ++to) {
      if (from != to) flows.push_back({from, to, bytes});
    }
  }
  return flows;
}

}  // namespace paceline
