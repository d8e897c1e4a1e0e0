// SPDX-License-Identifier: MIT
#include "sim/devices/nccl_rings.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace paceline {
namespace {

constexpr int kSearched = 8;  // 7! orders; a machine with more GPUs is symmetric enough in practice

/// Capacities still free, by link, and what a ring over given vertices would get of them.
class RingSearch {
 public:
  RingSearch(const Machine& machine, const std::vector<int>& vertices)
      : machine_(machine), vertices_(vertices) {
    for (const LinkDirection& link : machine.links()) free_.push_back(link.capacity.value());
    const std::size_t ranks = vertices.size();
    routes_.resize(ranks * ranks);
    for (std::size_t a = 0; a < ranks; ++a) {
      for (std::size_t b = 0; b < ranks; ++b) {
        if (a != b) routes_[a * ranks + b] = machine.route(vertices[a], vertices[b]).links();
      }
    }
  }

  /// Bandwidth of a ring: each link divided among the edges that cross it; 0 where one is not free.
  double bandwidth(const std::vector<int>& order, bool nvlink_only) const {
    std::map<int, int> crossings;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const int link : edge(order, i)) {
        if (nvlink_only &&
            machine_.links()[static_cast<std::size_t>(link)].kind != LinkKind::nvlink) {
          return 0;
        }
        ++crossings[link];
      }
    }
    double least = 1e300;
    for (const auto& [link, times] : crossings) {
      least = std::min(least, free_[static_cast<std::size_t>(link)] / times);
    }
    return least;
  }

  void take(const std::vector<int>& order, double bandwidth) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const int link : edge(order, i)) free_[static_cast<std::size_t>(link)] -= bandwidth;
    }
  }

  /// The best order that starts at rank 0; the first in dictionary order among equals.
  std::vector<int> best(bool nvlink_only, double& reached) const {
    std::vector<int> order(vertices_.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<int> best_order = order;
    reached = bandwidth(order, nvlink_only);
    if (order.size() > kSearched) return best_order;
    while (std::next_permutation(order.begin() + 1, order.end())) {
      const double got = bandwidth(order, nvlink_only);
      if (got > reached * (1 + 1e-9)) {
        reached = got;
        best_order = order;
      }
    }
    return best_order;
  }

 private:
  const std::vector<int>& edge(const std::vector<int>& order, std::size_t i) const {
    const auto from = static_cast<std::size_t>(order[i]);
    const auto to = static_cast<std::size_t>(order[(i + 1) % order.size()]);
    return routes_[from * vertices_.size() + to];
  }

  const Machine& machine_;
  const std::vector<int>& vertices_;
  std::vector<double> free_;
  std::vector<std::vector<int>> routes_;
};

}  // namespace

NcclRings find_nccl_rings(const Machine& machine, const std::vector<int>& vertices,
                          RingOrder ring_order) {
  NcclRings found;
  if (vertices.size() < 2) return found;
  if (ring_order == RingOrder::by_rank) {
    found.rings.emplace_back(vertices.size());
    std::iota(found.rings.front().begin(), found.rings.front().end(), 0);
    return found;
  }
  RingSearch search(machine, vertices);
  double first = 0;
  std::vector<int> order = search.best(false, first);
  found.rings.push_back(order);
  if (machine.links().empty() || vertices.size() > kSearched) return found;
  search.take(order, first);
  for (;;) {
    double more = 0;
    order = search.best(true, more);
    if (more < first * 0.5) break;
    found.rings.push_back(order);
    search.take(order, more);
  }
  return found;
}

}  // namespace paceline
