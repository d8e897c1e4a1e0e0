// SPDX-License-Identifier: MIT
#include "sim/ahead/schedule_folding.hpp"

#include <algorithm>
#include <functional>

#include "sim/ahead/uniform_times.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {
namespace {

using Link = std::function<ScheduleLink(int from, int to)>;

/// All ranks do the same; are the links of those that are equal modulo `lanes` the same too?
bool uniform_folds(const CollectiveSchedule& schedule, const Link& link, int lanes) {
  const int ranks = schedule.ranks();
  for (int step = 0, shift = 0; step < schedule.steps(); ++step) {
    if (schedule.uniform(step)->shift == shift) continue;
    shift = schedule.uniform(step)->shift;
    for (int rank = lanes; rank < ranks; ++rank) {
      const int first = rank % lanes;
      if (link(rank, (rank + shift) % ranks) != link(first, (first + shift) % ranks)) return false;
    }
  }
  return true;
}

/// A team of the ranks of one lane, which all do the same.
bool strided_folds(const Team& team, const ScheduleCosts& costs, int lanes) {
  const auto rank_of = [&team](int member) { return team.ranks[static_cast<std::size_t>(member)]; };
  for (int member = 0; member < team.schedule->ranks(); ++member) {
    if (rank_of(member) != rank_of(0) + member * lanes) return false;
  }
  if (rank_of(0) >= lanes || !UniformTimes::suits(*team.schedule)) return false;
  const auto link = [&](int from, int to) { return costs.link(rank_of(from), rank_of(to)); };
  return uniform_folds(*team.schedule, link, 1);
}

/// A team within a block of `lanes` ranks that does what the team of the first block does.
bool block_folds(const Team& team, const Team& first, const ScheduleCosts& costs, int lanes) {
  const int offset = team.ranks.front() / lanes * lanes;
  if (team.schedule != first.schedule || team.ranks.size() != first.ranks.size()) return false;
  for (std::size_t i = 0; i < team.ranks.size(); ++i) {
    if (team.ranks[i] != first.ranks[i] + offset || first.ranks[i] >= lanes) return false;
  }
  const CollectiveSchedule& within = *team.schedule;
  for (int step = 0; step < within.steps(); ++step) {
    for (int member = 0; member < within.ranks(); ++member) {
      const int to = within.at(member, step, 0).to;
      if (to < 0) continue;
      const auto a = static_cast<std::size_t>(member), b = static_cast<std::size_t>(to);
      if (costs.link(team.ranks[a], team.ranks[b]) != costs.link(first.ranks[a], first.ranks[b]))
        return false;
    }
  }
  return true;
}

bool phase_folds(const Phases::Phase& phase, const ScheduleCosts& costs, int lanes) {
  for (const Team& team : phase.teams) {
    if (team.schedule->steps() == 0) continue;
    const bool strided =
        lanes == 1 || (team.ranks.size() > 1 && team.ranks[1] - team.ranks[0] >= lanes);
    if (strided ? !strided_folds(team, costs, lanes)
                : !block_folds(team, phase.teams.front(), costs, lanes))
      return false;
  }
  return true;
}

}  // namespace

bool folds_to(const CollectiveSchedule& schedule, const ScheduleCosts& costs, std::size_t lanes) {
  const auto width = static_cast<int>(lanes);
  if (schedule.ranks() % width != 0) return false;
  for (std::size_t rank = lanes; rank < costs.sum.size(); ++rank) {
    if (costs.sum[rank] != costs.sum[rank % lanes]) return false;
  }
  if (UniformTimes::suits(schedule)) return uniform_folds(schedule, costs.link, width);
  const Phases* const phases = schedule.phases();
  if (phases == nullptr) return false;
  return std::ranges::all_of(
      phases->all(), [&](const Phases::Phase& phase) { return phase_folds(phase, costs, width); });
}

}  // namespace paceline
