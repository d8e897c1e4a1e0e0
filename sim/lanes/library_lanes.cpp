// SPDX-License-Identifier: MIT
#include "sim/lanes/library_lanes.hpp"

#include <algorithm>
#include <queue>

#include "training/runtime/instant.hpp"

namespace paceline {

LibraryLanes::LibraryLanes(const Machine& machine, const Costs& costs,
                           const std::vector<int>& vertices, int workers)
    : time_(links_.agenda(), 0),
      cores_(costs, time_, links_.network(), static_cast<int>(vertices.size()), workers),
      paths_(machine, costs, vertices, cores_, nullptr, links_),
      costs_(machine, vertices, costs, paths_) {}

std::int64_t LibraryLanes::call(const Command::Collective& collective, std::int64_t begin_ps) {
  const LibraryCost& cost = costs_.of(collective);
  const auto [length, fresh] = lengths_.try_emplace(&cost);
  if (fresh) length->second = length_of(cost);
  flows_ += static_cast<std::int64_t>(cost.flows.size());
  const std::int64_t end = later_ps((Instant{begin_ps} + cost.latency).ps, length->second);
  calls_.push_back({begin_ps, end, cost.speed});
  return end;
}

/// Of the flows, which begin together on links that nothing else uses.
std::int64_t LibraryLanes::length_of(const LibraryCost& cost) {
  const auto later = [](const Wakeup& a, const Wakeup& b) { return a.time_ps > b.time_ps; };
  std::priority_queue<Wakeup, std::vector<Wakeup>, decltype(later)> wakeups(later);
  FluidNetwork& network = links_.network();
  const std::int64_t begin = links_.agenda().now.ps;
  for (const auto& [way, bytes] : cost.flows)
    network.start(way->route, bytes * way->per_byte, begin, 0);
  for (;;) {
    if (network.unsettled()) {
      for (const Wakeup& wakeup : network.settle(links_.agenda().now.ps)) wakeups.push(wakeup);
    }
    if (wakeups.empty()) return links_.agenda().now.ps - begin;
    // all that end at one instant, before the rates are worked out anew
    const std::int64_t now = wakeups.top().time_ps;
    for (; !wakeups.empty() && wakeups.top().time_ps == now; wakeups.pop()) {
      if (network.stale(wakeups.top())) continue;
      links_.agenda().now.ps = now;
      network.complete(wakeups.top());
    }
  }
}

std::int64_t LibraryLanes::end_of_layers(std::int64_t begin_ps, double ps) const {
  double speed = 1;
  std::int64_t end = later_ps(begin_ps, round_ps(ps));
  const auto go_on_at = [&](std::int64_t at, double next) {
    ps = std::max(ps - static_cast<double>(at - begin_ps) * speed, 0.0);
    begin_ps = at;
    speed = next;
    end = later_ps(at, round_ps(ps / speed));
  };
  auto call = std::ranges::upper_bound(calls_, begin_ps, std::ranges::less{}, &Call::end);
  for (; call != calls_.end() && call->begin < end; ++call) {
    if (call->speed == 1) continue;
    go_on_at(std::max(begin_ps, call->begin), call->speed);
    if (end <= call->end) break;
    go_on_at(call->end, 1);
  }
  return end;
}

}  // namespace paceline
