// SPDX-License-Identifier: MIT
#include "sim/lanes/lane_links.hpp"

#include <algorithm>
#include <cmath>

#include "training/runtime/instant.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {

ScheduleLink LaneLinks::link(int from, int to) const {
  const int a = vertices_[static_cast<std::size_t>(from)];
  const int b = vertices_[static_cast<std::size_t>(to)];
  if (a == b) return {};
  const Route route = machine_.route(a, b);
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

bool LaneLinks::alone_in_steps(const CollectiveSchedule& schedule, int begin, int end) {
  const int ranks = schedule.ranks();
  for (int step = begin, shift = 0; step < end; ++step) {
    const auto same = schedule.uniform(step);
    if (same && same->shift == shift) continue;  // the routes of the step before
    shift = same ? same->shift : 0;
    if (same && same->parts == 0) continue;  // nothing travels
    for (int rank = 0; rank < ranks; ++rank) {
      const int to = same ? (rank + shift) % ranks : schedule.at(rank, step, 0).to;
      if (to >= 0 && !alone(rank, to)) return false;
    }
  }
  return true;
}

bool LaneLinks::suits(const CollectiveSchedule& schedule) {
  std::ranges::fill(users_, kNone);
  const Phases* const phases = schedule.phases();
  if (phases == nullptr) return alone_in_steps(schedule, 0, schedule.steps());
  for (const Phases::Phase& phase : phases->all()) {
    for (const Team& team : phase.teams) {
      const CollectiveSchedule& within = *team.schedule;
      const auto rank_of = [&](int member) { return team.ranks[static_cast<std::size_t>(member)]; };
      for (int step = 0, shift = 0; step < within.steps(); ++step) {
        const auto same = within.uniform(step);
        if (same && same->shift == shift) continue;
        shift = same ? same->shift : 0;
        for (int member = 0; member < within.ranks(); ++member) {
          const int to = same ? (member + shift) % within.ranks() : within.at(member, step, 0).to;
          if (to >= 0 && !alone(rank_of(member), rank_of(to))) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace paceline
