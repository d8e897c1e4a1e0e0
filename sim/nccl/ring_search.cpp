// SPDX-License-Identifier: MIT
#include "sim/nccl/ring_search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace paceline {
namespace {

constexpr int kMostDivisions = 8;  // of a link among rings
constexpr int kPatience = 20000;   // places tried for one speed

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
    while (rings.size() < kMostNcclRings && patience_ > 0) {
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

}  // namespace

std::vector<Ring> best_rings(const Machine& machine, const std::vector<int>& vertices) {
  return RingSearch(machine, vertices).best();
}

}  // namespace paceline
