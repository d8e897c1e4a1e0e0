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

/// A team with equally many ranks in each block of `lanes` ranks, which all do the same.
bool strided_folds(const Team& team, const ScheduleCosts& costs, int lanes, int ranks) {
  if (team.order || lanes % team.stride != 0 || team.first_place >= team.stride ||
      team.size * team.stride != ranks)
    return false;
  const auto link = [&](int from, int to) { return costs.link(team.rank(from), team.rank(to)); };
  return UniformTimes::suits(*team.schedule) &&
         uniform_folds(*team.schedule, link, lanes / team.stride);
}

/// A team within a block of `lanes` ranks that does what a team of the first block does.
bool block_folds(const Team& team, const Team& first, const ScheduleCosts& costs, int lanes) {
  const int offset = team.first_place / lanes * lanes;
  if (team.order || team.schedule != first.schedule || team.size != first.size ||
      team.stride != first.stride || team.first_place != first.first_place + offset ||
      first.rank(first.size - 1) >= lanes)
    return false;
  const CollectiveSchedule& within = *team.schedule;
  for (int step = 0; step < within.steps(); ++step) {
    for (int member = 0; member < within.ranks(); ++member) {
      const int to = within.at(member, step, 0).to;
      if (to < 0) continue;
      if (costs.link(team.rank(member), team.rank(to)) !=
          costs.link(first.rank(member), first.rank(to)))
        return false;
    }
  }
  return true;
}

bool phase_folds(const Phases::Phase& phase, const ScheduleCosts& costs, int lanes, int ranks) {
  const auto in_first_block = static_cast<std::size_t>(
      std::ranges::count_if(phase.teams, [lanes](const Team& t) { return t.first_place < lanes; }));
  for (std::size_t i = 0; i < phase.teams.size(); ++i) {
    const Team& team = phase.teams[i];
    if (team.schedule->steps() == 0) continue;
    const bool in_one_block = team.first_place / lanes == team.rank(team.size - 1) / lanes;
    if (lanes > 1 && in_one_block
            ? !block_folds(team, phase.teams[i % in_first_block], costs, lanes)
            : !strided_folds(team, costs, lanes, ranks))
      return false;
  }
  return true;
}

/// The least divisor of the size after which the values repeat.
int period_of(const std::vector<ScheduleLink>& values) {
  const std::size_t size = values.size();
  for (std::size_t period = 1; period < size; ++period) {
    if (size % period == 0 && std::equal(values.begin() + static_cast<std::ptrdiff_t>(period),
                                         values.end(), values.begin()))
      return static_cast<int>(period);
  }
  return static_cast<int>(size);
}

}  // namespace

std::vector<int> lanes_to_try(int ranks, int neighbours, const ScheduleCosts& costs) {
  std::vector<int> lanes{1};
  if (neighbours < 1 || ranks % neighbours != 0) return lanes;
  lanes.push_back(neighbours);
  std::vector<ScheduleLink> between;
  for (int first = 0; first < ranks; first += neighbours)
    between.push_back(costs.link(first, (first + neighbours) % ranks));
  const int period = period_of(between);
  if (period > 1) lanes.push_back(neighbours * period);
  return lanes;
}

bool folds_to(const CollectiveSchedule& schedule, const ScheduleCosts& costs, std::size_t lanes) {
  const auto width = static_cast<int>(lanes);
  if (schedule.ranks() % width != 0) return false;
  for (std::size_t rank = lanes; rank < costs.sum.size(); ++rank) {
    if (costs.sum[rank] != costs.sum[rank % lanes]) return false;
  }
  if (UniformTimes::suits(schedule)) return uniform_folds(schedule, costs.link, width);
  const Phases* const phases = schedule.phases();
  if (phases == nullptr) return false;
  return std::ranges::all_of(phases->all(), [&](const Phases::Phase& phase) {
    return phase_folds(phase, costs, width, schedule.ranks());
  });
}

}  // namespace paceline
