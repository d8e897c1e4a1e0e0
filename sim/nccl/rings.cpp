// SPDX-License-Identifier: MIT
#include "sim/nccl/rings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace paceline {
namespace {

constexpr std::size_t kMostRings = 32;  // NCCL's channels
constexpr int kMostDivisions = 8;       // of a link among rings
constexpr int kPatience = 20000;        // places tried for one speed

using Ring = std::vector<int>;

/// Cycles over the ranks of one computer, of one speed. A depth-first search that takes the widest
/// free way first.
class RingSearch {
 public:
  RingSearch(const Machine& machine, const std::vector<int>& vertices)
      : ranks_(vertices.size()), routes_(ranks_ * ranks_) {
    std::map<int, int> places;  // of the machine's links among those that are used
    for (std::size_t a = 0; a < ranks_; ++a) {
      for (std::size_t b = 0; b < ranks_; ++b) {
        if (a == b) continue;
        for (const int link : machine.route(vertices[a], vertices[b]).links()) {
          const auto [known, fresh] = places.try_emplace(link, static_cast<int>(places.size()));
          if (fresh) {
            capacities_.push_back(machine.figures(link).capacity.value());
            nvlinks_.push_back(machine.figures(link).kind == LinkKind::nvlink);
          }
          routes_[a * ranks_ + b].push_back(known->second);
        }
      }
    }
  }

  /// The rings of the greatest bandwidth together; among equals those of highest speed.
  std::vector<Ring> best() {
    std::vector<Ring> rings = best_over(true);
    if (rings.empty()) rings = best_over(false);
    if (rings.empty()) {  // some edge has no way of its own
      rings.emplace_back(ranks_);
      std::iota(rings.front().begin(), rings.front().end(), 0);
    }
    return rings;
  }

 private:
  std::vector<Ring> best_over(bool nvlink_only) {
    nvlink_only_ = nvlink_only;
    std::vector<Ring> best;
    double most = 0;
    for (const double speed : speeds()) {
      std::vector<Ring> rings = all_of(speed);
      const double together = speed * static_cast<double>(rings.size());
      if (together <= most * (1 + 1e-9)) continue;
      most = together;
      best = std::move(rings);
    }
    return best;
  }

  /// Those at which some link is filled by a whole number of rings, highest first.
  std::vector<double> speeds() const {
    std::set<double, std::greater<>> all;
    for (const std::vector<int>& route : routes_) {
      for (const int link : route) {
        if (!may_use(link)) continue;
        const double capacity = capacities_[static_cast<std::size_t>(link)];
        for (int rings = 1; rings <= kMostDivisions; ++rings) all.insert(capacity / rings);
      }
    }
    return {all.begin(), all.end()};
  }

  /// As many rings of `speed` as are found.
  std::vector<Ring> all_of(double speed) {
    speed_ = speed * (1 - 1e-9);
    free_ = capacities_;
    patience_ = kPatience;
    std::vector<Ring> rings;
    while (rings.size() < kMostRings && patience_ > 0) {
      ring_ = {0};
      left_.assign(ranks_, true);
      left_[0] = false;
      if (!close_or_extend()) break;
      rings.push_back(ring_);
    }
    return rings;
  }

  bool close_or_extend() {
    if (--patience_ < 0) return false;
    if (ring_.size() == ranks_) return take(ring_.back(), ring_.front());
    const int last = ring_.back();
    for (const int next : by_width(last)) {
      if (!take(last, next)) continue;
      ring_.push_back(next);
      left_[static_cast<std::size_t>(next)] = false;
      if (close_or_extend()) return true;
      left_[static_cast<std::size_t>(next)] = true;
      ring_.pop_back();
      give_back(last, next);
    }
    return false;
  }

  /// The ranks left, those with the widest free way from `last` first, then the nearest.
  std::vector<int> by_width(int last) const {
    std::vector<int> all;
    std::vector<double> widths(ranks_, 0);
    for (std::size_t next = 0; next < ranks_; ++next) {
      if (!left_[next]) continue;
      double width = std::numeric_limits<double>::infinity();
      for (const int link : route(last, static_cast<int>(next))) {
        width = std::min(width, may_use(link) ? free_[static_cast<std::size_t>(link)] : 0);
      }
      if (width < speed_) continue;
      widths[next] = width;
      all.push_back(static_cast<int>(next));
    }
    std::ranges::stable_sort(all, [&](int a, int b) {
      const double wide_a = widths[static_cast<std::size_t>(a)];
      const double wide_b = widths[static_cast<std::size_t>(b)];
      if (wide_a != wide_b) return wide_a > wide_b;
      return route(last, a).size() < route(last, b).size();
    });
    return all;
  }

  /// Takes the speed from every link of the way; nothing if one has too little.
  bool take(int from, int to) {
    const std::vector<int>& way = route(from, to);
    for (std::size_t i = 0; i < way.size(); ++i) {
      double& free = free_[static_cast<std::size_t>(way[i])];
      if (free >= speed_ && may_use(way[i])) {
        free -= speed_;
        continue;
      }
      for (std::size_t taken = 0; taken < i; ++taken) {
        free_[static_cast<std::size_t>(way[taken])] += speed_;
      }
      return false;
    }
    return true;
  }
  void give_back(int from, int to) {
    for (const int link : route(from, to)) free_[static_cast<std::size_t>(link)] += speed_;
  }
  bool may_use(int link) const { return !nvlink_only_ || nvlinks_[static_cast<std::size_t>(link)]; }
  const std::vector<int>& route(int from, int to) const {
    return routes_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
  }

  std::size_t ranks_;
  std::vector<std::vector<int>> routes_;  ///< of links by their places in the following
  std::vector<double> capacities_;
  std::vector<bool> nvlinks_;
  bool nvlink_only_ = false;
  double speed_ = 0;
  int patience_ = 0;
  std::vector<double> free_;  ///< by link
  Ring ring_;
  std::vector<bool> left_;
};

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

/// NCCL has two channels for each ring that it finds (src/graph/connect.cc), with a number of
/// sockets each (src/transport/net_socket.cc), as far as a card has use for them; 0: a connection
/// fills a card.
std::size_t connections_of(const Machine& machine, int link) {
  constexpr double kChannels = 2;
  if (link < 0) return 0;
  const LinkFigures& figures = machine.figures(link);
  if (figures.connection.value() <= 0 || figures.connection >= figures.capacity) return 0;
  const double enough = std::ceil(figures.capacity / figures.connection);
  return static_cast<std::size_t>(std::min(kChannels * figures.sockets, enough));
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
                        const std::vector<std::vector<int>>& groups) {
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
    if (!equal) inside[g] = RingSearch(machine, places[g]).best();
    count = std::max({count, inside[like[g]].size(), places[g].size()});
  }
  const std::set<int> cards = cards_of(machine, places.front(), places.back().front());
  const std::size_t connections = connections_of(machine, *cards.begin());
  count = connections > 0 ? cards.size() * connections
                          : (count + cards.size() - 1) / cards.size() * cards.size();
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [g, of_computer] : inside)
    least = std::min(least, bandwidth_of(of_computer, machine, places[g]));
  NcclRings found;
  found.inside = BytesPerSecond{std::isfinite(least) ? least : 0};
  std::vector<Ring>& rings = found.rings;
  rings.resize(std::min(count, kMostRings));
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
                          const std::vector<int>& computers, RingOrder order) {
  NcclRings found;
  if (vertices.size() < 2) return found;
  const std::vector<std::vector<int>> groups = groups_of(computers);
  if (order == RingOrder::by_rank) {
    found.rings.emplace_back(vertices.size());
    std::iota(found.rings.front().begin(), found.rings.front().end(), 0);
  } else if (groups.size() > 1) {
    found = rings_between(machine, vertices, groups);
  } else {
    found.rings = RingSearch(machine, vertices).best();
  }
  found.bandwidth = BytesPerSecond{bandwidth_of(found.rings, machine, vertices)};
  return found;
}

}  // namespace paceline
