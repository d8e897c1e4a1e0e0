// SPDX-License-Identifier: MIT
#include "sim/lanes/lane_links.hpp"

#include <algorithm>
#include <cmath>

#include "training/runtime/instant.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {

const ScheduleLink& LaneLinks::link(int from, int to) {
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
  const std::vector<int> links = machine_.route(a, b).links();
  return std::ranges::all_of(links, [&](int link) {
    int& user = users_[static_cast<std::size_t>(link)];
    if (user == kNone) user = from;
    return user == from;
  });
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
