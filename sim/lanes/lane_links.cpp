// SPDX-License-Identifier: MIT
#include "sim/lanes/lane_links.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/ahead/uniform_times.hpp"
#include "sim/network/fluid_network.hpp"
#include "training/runtime/instant.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {

const ScheduleLink& LaneLinks::link(int from, int to) {
  // schedule_folding.hpp also looks up pairs between which the schedule sends nothing
  if (const auto share = shares_.find(to > from ? to - from : to - from + ranks());
      share != shares_.end())
    return share->second;
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  const auto [known, fresh] = known_.try_emplace(machine_.route_class(a, b));
  if (fresh && a != b) known->second = link_of(machine_.route(a, b));
  return known->second;
}

ScheduleLink LaneLinks::link_of(const Route& route) const {
  const std::int64_t latency_ps = to_ps(route.latency());
  const double rate = machine_.bottleneck(route).value();
  if (route.links().empty() && !std::isfinite(rate) && latency_ps == 0) return {};
  return {latency_ps, 1, rate};
}

bool LaneLinks::alone(int from, int to) {
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  if (a == b) return true;
  const auto has = [&](int link) {
    int& user = users_[static_cast<std::size_t>(link)];
    if (user == kNone) user = from;
    return user == from;
  };
  return std::ranges::all_of(machine_.route(a, b).legs,
                             [&](const Leg& leg) { return std::ranges::all_of(leg.links, has); });
}

/// \param rank_of the rank of each member of the schedule's team
bool LaneLinks::alone_in(const CollectiveSchedule& schedule,
                         const std::function<int(int member)>& rank_of) {
  const int members = schedule.ranks();
  for (int step = 0, shift = 0; step < schedule.steps(); ++step) {
    const auto same = schedule.uniform(step);
    if (same && same->shift == shift) continue;  // the routes of the step before
    shift = same ? same->shift : 0;
    if (same && same->parts == 0) continue;  // nothing travels
    for (int member = 0; member < members; ++member) {
      const int to = same ? (member + shift) % members : schedule.at(member, step, 0).to;
      if (to >= 0 && !alone(rank_of(member), rank_of(to))) return false;
    }
  }
  return true;
}

std::vector<bool> LaneLinks::used() const {
  std::vector<bool> links;
  for (const int user : users_) links.push_back(user != kNone);
  return links;
}

std::vector<bool> LaneLinks::ranks_on(const std::vector<bool>& links) const {
  std::vector<bool> all(vertices_.size());
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (links[link] && users_[link] != kNone) all[static_cast<std::size_t>(users_[link])] = true;
  }
  return all;
}

bool LaneLinks::suits_together(const CollectiveSchedule& schedule) {
  if (!UniformTimes::suits(schedule) || schedule.ranks() != ranks()) return false;
  std::map<int, ScheduleLink> shares;
  for (int step = 0; step < schedule.steps(); ++step) {
    const int shift = schedule.uniform(step)->shift;
    if (shares.contains(shift)) continue;
    const std::optional<ScheduleLink> share = share_of_all(shift);
    if (!share) return false;
    shares[shift] = *share;
  }
  shares_ = std::move(shares);
  return true;
}

/// Of a copy from each rank to the one `shift` places further, all at once; nothing unless they are
/// equally late and get equal rates.
std::optional<ScheduleLink> LaneLinks::share_of_all(int shift) const {
  FluidNetwork network;
  std::unordered_map<int, ResourceId> resources;
  std::vector<RouteId> routes;
  std::optional<Seconds> latency;
  for (int rank = 0; rank < ranks(); ++rank) {
    const int a = vertices_[static_cast<std::size_t>(rank)];
    const int b = vertices_[static_cast<std::size_t>((rank + shift) % ranks())];
    if (a == b) return std::nullopt;
    const Route route = machine_.route(a, b);
    if (latency && *latency != route.latency()) return std::nullopt;
    latency = route.latency();
    std::vector<Use> uses;
    for (const int link : route.links()) {
      const auto [known, fresh] = resources.try_emplace(link);
      if (fresh) known->second = network.add_resource(machine_.figures(link).capacity.value());
      uses.push_back({known->second, 1});
    }
    routes.push_back(network.add_route(uses, route.limit().value()));
  }
  std::vector<FlowId> flows;
  for (const RouteId route : routes) flows.push_back(network.start(route, 1e9, 0, 0));
  network.settle(0);
  const double rate = network.rate(flows.front());
  const bool alike =
      std::ranges::all_of(flows, [&](const FlowId& flow) { return network.rate(flow) == rate; });
  if (!alike || !std::isfinite(rate)) return std::nullopt;
  return ScheduleLink{to_ps(*latency), 1, rate};
}

bool LaneLinks::suits(const CollectiveSchedule& schedule) {
  std::ranges::fill(users_, kNone);
  const Phases* const phases = schedule.phases();
  if (phases == nullptr) return alone_in(schedule, std::identity{});
  return std::ranges::all_of(phases->all(), [this](const Phases::Phase& phase) {
    return std::ranges::all_of(phase.teams, [this](const Team& team) {
      return alone_in(*team.schedule, [&team](int member) { return team.rank(member); });
    });
  });
}

}  // namespace paceline
