// SPDX-License-Identifier: MIT
//
// Dijkstra's algorithm over distances that compare lexicographically: (latency, sum of 1/capacity,
// hops, links). The list of links makes the shortest path unique. Comparing lists is sound because
// two paths with the same number of hops keep their order when the same link is appended.
#include "topology/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <mutex>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>

namespace paceline {
namespace {

struct Distance {
  PathLength length;
  std::vector<int> links;
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

struct Append {
  Distance operator()(const Distance& path, const Distance& hop) const {
    Distance longer = path;
    longer.length += hop.length;
    longer.links.insert(longer.links.end(), hop.links.begin(), hop.links.end());
    return longer;
  }
};

struct Edge {
  Distance length;
};
using Links =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Edge>;

/// An edge filter: keeps the edges that a path from `source` may use.
struct MayLeave {
  const Links* links = nullptr;
  const std::vector<bool>* transit = nullptr;
  std::size_t source = 0;
  bool operator()(const Links::edge_descriptor& edge) const {
    const std::size_t from = boost::source(edge, *links);
    return from == source || (*transit)[from];
  }
};

/// The last hop of the best path from a source to a vertex; link -1 if there is no path or the
/// vertex is the source.
struct Entry {
  int from = -1;
  int link = -1;
  PathLength length;
};

/// Longer than any path; one less than the length of no path.
constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() - 1;

std::int64_t whole(double length) {
  return length < 0x1p62 ? std::llround(length) : kLongest;
}

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  return a < kLongest - b ? a + b : kLongest;
}

}  // namespace

PathLength& PathLength::operator+=(const PathLength& other) {
  latency_ps = sum_of(latency_ps, other.latency_ps);
  femtoseconds_per_byte = sum_of(femtoseconds_per_byte, other.femtoseconds_per_byte);
  hops += other.hops;
  return *this;
}

struct Fabric::Paths {
  std::vector<bool> transit;
  Links links;
  mutable std::mutex mutex;
  mutable std::vector<std::vector<Entry>> from;  // by source; computed on first use

  /// The best path from `source`; the search from each source is cached. Requires that the caller
  /// holds the mutex.
  std::optional<Path> find(int source, int to) const;

  std::vector<Entry> search(int source) const {
    const std::size_t count = boost::num_vertices(links);
    const auto start = static_cast<std::size_t>(source);
    std::vector<Distance> distances(count);
    std::vector<std::size_t> predecessors(count);
    Distance unreachable;
    unreachable.length.latency_ps = std::numeric_limits<std::int64_t>::max();
    const boost::filtered_graph<Links, MayLeave> usable(links, MayLeave{&links, &transit, start});
    boost::dijkstra_shortest_paths(usable, start,
                                   boost::weight_map(boost::get(&Edge::length, usable))
                                       .distance_map(distances.data())
                                       .predecessor_map(predecessors.data())
                                       .distance_compare(std::less<>())
                                       .distance_combine(Append{})
                                       .distance_inf(unreachable)
                                       .distance_zero(Distance{}));
    std::vector<Entry> entries(count);
    for (std::size_t v = 0; v < count; ++v) {
      if (v == start || distances[v] == unreachable) continue;
      entries[v] = {static_cast<int>(predecessors[v]), distances[v].links.back(),
                    distances[v].length};
    }
    return entries;
  }
};

Fabric::Fabric(std::vector<bool> transit, const std::vector<Hop>& hops)
    : paths_(std::make_unique<Paths>()) {
  paths_->links = Links(transit.size());
  paths_->from.resize(transit.size());
  paths_->transit = std::move(transit);
  for (const Hop& hop : hops) {
    const Distance length{
        {whole(hop.latency.value() * 1e12), whole(1e15 / hop.capacity.value()), 1}, {hop.link}};
    boost::add_edge(static_cast<std::size_t>(hop.from), static_cast<std::size_t>(hop.to),
                    Edge{length}, paths_->links);
  }
}

Fabric::~Fabric() = default;

std::optional<Path> Fabric::path(int from, int to) const {
  if (from == to) return Path{};
  const std::lock_guard lock(paths_->mutex);
  // If only one link leaves `from`, every path begins with it: a thousand GPUs on one switch share
  // one search from the switch.
  const auto start = static_cast<std::size_t>(from);
  if (boost::out_degree(start, paths_->links) != 1) return paths_->find(from, to);
  const auto edge = *boost::out_edges(start, paths_->links).first;
  const Distance& first = paths_->links[edge].length;
  const int next = static_cast<int>(boost::target(edge, paths_->links));
  std::optional<Path> rest;
  if (next == to) {
    rest = Path{};
  } else if (paths_->transit[static_cast<std::size_t>(next)]) {
    rest = paths_->find(next, to);
    if (rest) rest->between.insert(rest->between.begin(), next);
  }
  if (!rest) return std::nullopt;
  rest->links.insert(rest->links.begin(), first.links.front());
  rest->length += first.length;
  return rest;
}

std::optional<Path> Fabric::Paths::find(int source, int to) const {
  std::vector<Entry>& entries = from.at(static_cast<std::size_t>(source));
  if (entries.empty()) entries = search(source);
  const Entry* entry = &entries.at(static_cast<std::size_t>(to));
  if (entry->link < 0) return std::nullopt;
  Path path;
  path.length = entry->length;
  for (;;) {
    path.links.push_back(entry->link);
    if (entry->from == source) break;
    path.between.push_back(entry->from);
    entry = &entries[static_cast<std::size_t>(entry->from)];
  }
  std::reverse(path.links.begin(), path.links.end());
  std::reverse(path.between.begin(), path.between.end());
  return path;
}

}  // namespace paceline
