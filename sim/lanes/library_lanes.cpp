// SPDX-License-Identifier: MIT
#include "sim/lanes/library_lanes.hpp"

#include <algorithm>
#include <map>
#include <queue>

#include "sim/devices/host_cores.hpp"
#include "sim/devices/library_costs.hpp"
#include "training/runtime/instant.hpp"

namespace paceline {

/// Links without other flows, and how long the flows of a call take over them.
struct LibraryLanes::Links {
  explicit Links(const LibraryLanes& of)
      : time(shared.agenda(), 0),
        cores(of.costs_, time, shared.network(), static_cast<int>(of.vertices_.size()),
              of.workers_),
        paths(of.machine_, of.costs_, of.vertices_, cores, nullptr, shared),
        costs(of.machine_, of.vertices_, of.costs_, paths) {}

  std::int64_t length_of(const LibraryCost& cost);

  SharedMachine shared;
  Timeline time;
  HostCores cores;  ///< none that a copy needs
  Paths paths;
  LibraryCosts costs;
  std::map<const LibraryCost*, std::int64_t> lengths;  ///< of the flows
};

/// The flows begin together.
std::int64_t LibraryLanes::Links::length_of(const LibraryCost& cost) {
  const auto later = [](const Wakeup& a, const Wakeup& b) { return a.time_ps > b.time_ps; };
  std::priority_queue<Wakeup, std::vector<Wakeup>, decltype(later)> wakeups(later);
  FluidNetwork& network = shared.network();
  std::int64_t& now = shared.agenda().now.ps;
  const std::int64_t begin = now;
  std::size_t flows = cost.flows.size();
  for (const auto& [way, bytes] : cost.flows)
    network.start(way->route, bytes * way->per_byte, begin, 0);
  for (;;) {
    if (network.unsettled()) {
      for (const Wakeup& wakeup : network.settle(now)) wakeups.push(wakeup);
    }
    if (wakeups.empty()) return flows > 0 ? kEndOfClock : now - begin;
    // all that end at one instant, before the rates are worked out anew
    const std::int64_t next = wakeups.top().time_ps;
    for (; !wakeups.empty() && wakeups.top().time_ps == next; wakeups.pop()) {
      if (network.stale(wakeups.top())) continue;
      now = next;
      flows -= network.complete(wakeups.top()).size();
    }
  }
}

LibraryLanes::LibraryLanes(const Machine& machine, const Costs& costs,
                           const std::vector<int>& vertices, int workers)
    : machine_(machine), costs_(costs), vertices_(vertices), workers_(workers) {}

LibraryLanes::~LibraryLanes() = default;

std::int64_t LibraryLanes::call(const Command::Collective& collective, std::int64_t begin_ps) {
  if (links_ == nullptr) links_ = std::make_unique<Links>(*this);
  const LibraryCost& cost = links_->costs.of(collective);
  const auto [length, fresh] = links_->lengths.try_emplace(&cost);
  if (fresh) length->second = links_->length_of(cost);
  flows_ += static_cast<std::int64_t>(cost.flows.size());
  const std::int64_t end = later_ps((Instant{begin_ps} + cost.latency).ps, length->second);
  calls_.push_back({begin_ps, end, cost.speed});
  return end;
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
