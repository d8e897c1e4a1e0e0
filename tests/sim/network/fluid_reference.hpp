// SPDX-License-Identifier: MIT
/// \file
/// For tests of FluidNetwork: a small event loop that drives it, and a brute-force simulation as a
/// reference. The reference keeps every flow and every resource separately and computes all rates
/// anew at each event, in plain doubles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/network/fluid_network.hpp"

namespace paceline {

struct PlainRoute {
  std::vector<Use> uses;
  double limit = FluidNetwork::kUnlimited;
};

/// Resources and routes as plain data, from which a FluidNetwork or the reference is made.
struct PlainNetwork {
  std::vector<double> capacities;
  std::vector<PlainRoute> routes;

  FluidNetwork build() const {
    FluidNetwork network;
    for (const double capacity : capacities) network.add_resource(capacity);
    for (const PlainRoute& route : routes) network.add_route(route.uses, route.limit);
    return network;
  }
};

/// The start of a flow, or the cancellation of an earlier one.
struct FlowArrival {
  static constexpr std::int64_t kStarts = -1;
  std::int64_t time_ps = 0;
  std::uint32_t route = 0;
  double amount = 0;
  std::int64_t cancels = kStarts;  // index of the arrival to cancel if it is still in flight
};

/// An engine with one heap around a FluidNetwork, as the header of FluidNetwork describes it.
class FluidRun {
 public:
  explicit FluidRun(FluidNetwork& network) : network_(network) {}

  FlowId start(std::uint32_t route, double amount, std::uint32_t payload) {
    return network_.start(RouteId{route}, amount, now_ps_, payload);
  }

  /// Completes all flows that end before `time_ps`, in order, and sets the clock to it.
  void run_until(std::int64_t time_ps) {
    while (true) {
      settle();
      if (wakeups_.empty() || time_of(wakeups_.top()) >= time_ps) break;
      complete_next();
    }
    if (time_ps != FluidNetwork::kNever) now_ps_ = time_ps;
  }
  void run() { run_until(FluidNetwork::kNever); }

  void settle() {
    for (const Wakeup& wakeup : network_.settle(now_ps_)) {
      wakeups_.emplace(wakeup.time_ps, pushed_++, wakeup);
    }
  }

  std::int64_t now_ps() const { return now_ps_; }
  /// (time, payload) in order of completion.
  const std::vector<std::pair<std::int64_t, std::uint32_t>>& finished() const { return finished_; }

 private:
  using Entry = std::tuple<std::int64_t, std::uint64_t, Wakeup>;
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return std::tie(std::get<0>(a), std::get<1>(a)) > std::tie(std::get<0>(b), std::get<1>(b));
    }
  };
  static std::int64_t time_of(const Entry& entry) { return std::get<0>(entry); }

  void complete_next() {
    const Wakeup wakeup = std::get<2>(wakeups_.top());
    wakeups_.pop();
    if (network_.stale(wakeup)) return;
    now_ps_ = wakeup.time_ps;
    for (const std::uint32_t payload : network_.complete(wakeup))
      finished_.emplace_back(now_ps_, payload);
  }

  FluidNetwork& network_;
  std::priority_queue<Entry, std::vector<Entry>, Later> wakeups_;
  std::uint64_t pushed_ = 0;
  std::int64_t now_ps_ = 0;
  std::vector<std::pair<std::int64_t, std::uint32_t>> finished_;
};

/// Completion times of the arrivals (sorted by time) in a FluidNetwork, by index; -1 for arrivals
/// that never complete.
inline std::vector<double> fluid_completions(const PlainNetwork& plain,
                                             std::span<const FlowArrival> arrivals) {
  FluidNetwork network = plain.build();
  FluidRun run(network);
  std::vector<FlowId> flows(arrivals.size());
  for (std::uint32_t i = 0; i < arrivals.size(); ++i) {
    run.run_until(arrivals[i].time_ps);
    if (arrivals[i].cancels == FlowArrival::kStarts) {
      flows[i] = run.start(arrivals[i].route, arrivals[i].amount, i);
    } else {
      network.cancel(flows[static_cast<std::size_t>(arrivals[i].cancels)], run.now_ps());
    }
  }
  run.run();
  std::vector<double> times(arrivals.size(), -1.0);
  for (const auto& [time, payload] : run.finished()) times[payload] = static_cast<double>(time);
  return times;
}

/// Max-min fair rates of single flows, by raising all rates together and summing everything anew at
/// each step.
inline std::vector<double> reference_rates(const PlainNetwork& plain,
                                           std::span<const std::uint32_t> routes) {
  std::vector<double> rates(routes.size(), -1.0);
  for (;;) {
    std::vector<double> left = plain.capacities;
    std::vector<double> load(plain.capacities.size(), 0.0);
    for (std::size_t f = 0; f < routes.size(); ++f) {
      for (const Use& use : plain.routes[routes[f]].uses) {
        if (rates[f] >= 0) left[index(use.resource)] -= use.coefficient * rates[f];
        if (rates[f] < 0) load[index(use.resource)] += use.coefficient;
      }
    }
    double lowest = std::numeric_limits<double>::infinity();
    std::vector<double> bound(routes.size(), lowest);
    for (std::size_t f = 0; f < routes.size(); ++f) {
      if (rates[f] >= 0) continue;
      bound[f] = plain.routes[routes[f]].limit;
      for (const Use& use : plain.routes[routes[f]].uses) {
        bound[f] = std::min(bound[f], left[index(use.resource)] / load[index(use.resource)]);
      }
      lowest = std::min(lowest, bound[f]);
    }
    if (lowest == std::numeric_limits<double>::infinity()) return rates;
    for (std::size_t f = 0; f < routes.size(); ++f) {
      if (rates[f] < 0 && bound[f] <= lowest * (1 + 1e-12)) rates[f] = lowest;
    }
  }
}

/// Completion times of the arrivals (sorted by time), by index, in unrounded picoseconds.
inline std::vector<double> reference_completions(const PlainNetwork& plain,
                                                 std::span<const FlowArrival> arrivals) {
  std::vector<double> times(arrivals.size(), -1.0);
  std::vector<double> left;
  std::vector<std::uint32_t> active;  // arrivals in flight
  std::vector<std::uint32_t> routes;
  std::size_t next = 0;
  double now = 0;
  while (next < arrivals.size() || !active.empty()) {
    routes.clear();
    for (const std::uint32_t flow : active) routes.push_back(arrivals[flow].route);
    const std::vector<double> rates = reference_rates(plain, routes);
    double until = next < arrivals.size() ? static_cast<double>(arrivals[next].time_ps)
                                          : std::numeric_limits<double>::infinity();
    std::size_t ends = active.size();
    for (std::size_t f = 0; f < active.size(); ++f) {
      if (const double end = now + left[f] / rates[f] * 1e12; end < until) {
        until = end;
        ends = f;
      }
    }
    for (std::size_t f = 0; f < active.size(); ++f) left[f] -= rates[f] * (until - now) / 1e12;
    now = until;
    if (ends < active.size()) {
      times[active[ends]] = now;
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(ends));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(ends));
    } else if (const FlowArrival& arrival = arrivals[next++];
               arrival.cancels == FlowArrival::kStarts) {
      active.push_back(static_cast<std::uint32_t>(next - 1));
      left.push_back(arrival.amount);
    } else if (const auto flow = std::find(active.begin(), active.end(), arrival.cancels);
               flow != active.end()) {
      left.erase(left.begin() + (flow - active.begin()));
      active.erase(flow);
    }
  }
  return times;
}

}  // namespace paceline
