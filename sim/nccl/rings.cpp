// SPDX-License-Identifier: MIT
#include "sim/nccl/rings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "sim/nccl/ring_search.hpp"

namespace paceline {
namespace {

/// The ranks of each computer, in the order of their computers.
std::vector<std::vector<int>> groups_of(const std::vector<int>& computers) {
  std::vector<std::vector<int>> groups;
  for (std::size_t rank = 0; rank < computers.size(); ++rank) {
    const auto computer = static_cast<std::size_t>(computers[rank]);
    if (groups.size() <= computer) groups.resize(computer + 1);
    groups[computer].push_back(static_cast<int>(rank));
  }
  std::erase_if(groups, [](const std::vector<int>& group) { return group.empty(); });
  return groups;
}

/// The first and the last link of a way that join computers; -1: none does.
struct Wires {
  int out = -1, in = -1;
};
Wires wires_of(const Machine& machine, const Route& way) {
  Wires wires;
  for (const int link : way.links()) {
    if (!joins_computers(machine.figures(link).kind)) continue;
    if (wires.out < 0) wires.out = link;
    wires.in = link;
  }
  return wires;
}

/// The links by which the ranks of a computer leave it.
std::set<int> cards_of(const Machine& machine, const std::vector<int>& here, int outside) {
  std::set<int> cards;
  for (const int rank : here) cards.insert(wires_of(machine, machine.route(rank, outside)).out);
  return cards;
}

/// NCCL has two channels for each ring that it finds (src/graph/connect.cc, from 2.4 on), with a
/// number of sockets each (src/transport/net_socket.cc), as far as a card has use for them; 0: a
/// connection fills a card.
std::size_t connections_of(const Machine& machine, int link, int channels) {
  if (link < 0) return 0;
  const LinkFigures& figures = machine.figures(link);
  if (figures.connection.value() <= 0 || figures.connection >= figures.capacity) return 0;
  const double enough = std::ceil(figures.capacity / figures.connection);
  return static_cast<std::size_t>(std::min<double>(channels * figures.sockets, enough));
}

/// The computer's places in the order in which each of `count` rings passes them: its own rings
/// either way round, begun such that they share the network cards evenly, by the shortest ways.
/// \param here, next the ranks' vertices in this computer and in the one that it sends to
std::vector<Ring> passages(const Machine& machine, const std::vector<int>& here,
                           const std::vector<int>& next, const std::vector<Ring>& inside,
                           std::size_t count) {
  std::map<int, int> loads;  // by link between computers
  std::vector<Ring> all;
  for (std::size_t r = 0; r < count; ++r) {
    Ring ring = inside[r % inside.size()];
    std::ranges::rotate(ring, std::ranges::find(ring, static_cast<int>(r % ring.size())));
    Ring best;
    Wires by;
    std::pair<int, double> least{std::numeric_limits<int>::max(), 0};
    for (std::size_t turn = 0; turn < 2 * ring.size(); ++turn) {
      if (turn == ring.size()) std::ranges::reverse(ring);
      const auto first = static_cast<std::size_t>(ring.front()) % next.size();
      const Route way = machine.route(here[static_cast<std::size_t>(ring.back())], next[first]);
      const Wires wires = wires_of(machine, way);
      const std::pair cost{std::max(loads[wires.out], loads[wires.in]), way.latency().value()};
      if (cost < least) {
        least = cost;
        best = ring;
        by = wires;
      }
      std::ranges::rotate(ring, ring.begin() + 1);
    }
    ++loads[by.out];
    if (by.in != by.out) ++loads[by.in];
    all.push_back(std::move(best));
  }
  return all;
}

/// Whether ways within two computers, and from each to the one that it sends to, are alike.
bool alike(const Machine& machine, const std::vector<int>& one, const std::vector<int>& after_one,
           const std::vector<int>& other, const std::vector<int>& after_other) {
  if (one.size() != other.size() || after_one.size() != after_other.size()) return false;
  const auto same = [&](int from, int to, int other_from, int other_to) {
    return machine.route_class(from, to) == machine.route_class(other_from, other_to);
  };
  if (!same(one[0], after_one[0], other[0], after_other[0])) return false;
  for (std::size_t a = 0; a < one.size(); ++a) {
    for (std::size_t b = 0; b < one.size(); ++b) {
      if (a != b && !same(one[a], one[b], other[a], other[b])) return false;
    }
  }
  return true;
}

/// Each link divided among all edges that cross it, of which each is a transfer.
double bandwidth_of(const std::vector<Ring>& rings, const Machine& machine,
                    const std::vector<int>& vertices) {
  std::map<int, int> crossings;  // by link
  for (const Ring& ring : rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto from = static_cast<std::size_t>(ring[i]);
      const auto to = static_cast<std::size_t>(ring[(i + 1) % ring.size()]);
      for (const int link : machine.route(vertices[from], vertices[to]).links()) {
        ++crossings[link];
      }
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [link, times] : crossings) {
    const LinkFigures& figures = machine.figures(link);
    least = std::min(least, figures.capacity.value() / times);
    if (figures.connection.value() > 0) least = std::min(least, figures.connection.value());
  }
  return least * static_cast<double>(rings.size());
}

NcclRings rings_between(const Machine& machine, const std::vector<int>& vertices,
                        const std::vector<std::vector<int>>& groups, int tcp_channels) {
  std::vector<std::vector<int>> places;  // vertices, by computer
  for (const std::vector<int>& group : groups) {
    places.emplace_back();
    for (const int rank : group) places.back().push_back(vertices[static_cast<std::size_t>(rank)]);
  }
  const auto next = [&](std::size_t g) -> const std::vector<int>& {
    return places[(g + 1) % places.size()];
  };
  std::vector<std::size_t> like(places.size());  // the first computer of a run of equal ones
  std::map<std::size_t, std::vector<Ring>> inside;
  std::size_t count = 1;
  for (std::size_t g = 0; g < places.size(); ++g) {
    const bool equal = g > 0 && alike(machine, places[g - 1], next(g - 1), places[g], next(g));
    like[g] = equal ? like[g - 1] : g;
    if (!equal) inside[g] = best_rings(machine, places[g]);
    count = std::max({count, inside[like[g]].size(), places[g].size()});
  }
  const std::set<int> cards = cards_of(machine, places.front(), places.back().front());
  const std::size_t connections = connections_of(machine, *cards.begin(), tcp_channels);
  count = connections > 0 ? cards.size() * connections
                          : (count + cards.size() - 1) / cards.size() * cards.size();
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [g, of_computer] : inside)
    least = std::min(least, bandwidth_of(of_computer, machine, places[g]));
  NcclRings found;
  found.inside = BytesPerSecond{std::isfinite(least) ? least : 0};
  std::vector<Ring>& rings = found.rings;
  rings.resize(std::min(count, kMostNcclRings));
  std::vector<Ring> local;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (like[g] == g) local = passages(machine, places[g], next(g), inside[g], rings.size());
    for (std::size_t r = 0; r < rings.size(); ++r) {
      for (const int place : local[r]) {
        rings[r].push_back(groups[g][static_cast<std::size_t>(place)]);
      }
    }
  }
  return found;
}

}  // namespace

NcclRings find_nccl_rings(const Machine& machine, const std::vector<int>& vertices,
                          const std::vector<int>& computers, const CollectiveCost& cost) {
  NcclRings found;
  if (vertices.size() < 2) return found;
  const std::vector<std::vector<int>> groups = groups_of(computers);
  if (cost.rings == RingOrder::by_rank) {
    found.rings.emplace_back(vertices.size());
    std::iota(found.rings.front().begin(), found.rings.front().end(), 0);
  } else if (groups.size() > 1) {
    found = rings_between(machine, vertices, groups, cost.tcp_channels);
  } else {
    found.rings = best_rings(machine, vertices);
  }
  found.bandwidth = BytesPerSecond{bandwidth_of(found.rings, machine, vertices)};
  return found;
}

}  // namespace paceline
