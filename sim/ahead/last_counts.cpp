// SPDX-License-Identifier: MIT
#include "sim/ahead/last_counts.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "sim/ahead/rank_clocks.hpp"
#include "sim/ahead/uniform_times.hpp"
#include "training/strategies/collectives/phases.hpp"

namespace paceline {
namespace {

using Link = std::function<ScheduleLink(int from, int to)>;

/// Whether all copies of a step are equal, and every rank has waited for all others once the steps
/// with sums are over: the ranks that it has waited for are those up to `reach` places before it.
bool meets(const CollectiveSchedule& schedule, const Link& link) {
  const int ranks = schedule.ranks();
  std::int64_t reach = 0;
  for (int step = 0, shift = 0; step < schedule.steps(); ++step) {
    const UniformStep same = *schedule.uniform(step);
    if (same.arrival == Arrival::adds && same.shift <= reach + 1) reach += same.shift;
    if (same.shift == shift) continue;
    shift = same.shift;
    const ScheduleLink first = link(0, shift % ranks);
    for (int rank = 1; rank < ranks; ++rank) {
      if (link(rank, (rank + shift) % ranks) != first) return false;
    }
  }
  return reach >= ranks - 1;
}

Link links_of(const Team& team, const ScheduleCosts& costs) {
  return [&team, &costs](int from, int to) { return costs.link(team.rank(from), team.rank(to)); };
}

bool within_block(const Team& team, int lanes) {
  return lanes > 1 && team.first_place / lanes == team.rank(team.size - 1) / lanes;
}

/// The shortest copy of the members that are among the first `lanes` ranks.
std::int64_t shortest_copy_ps(const CollectiveSchedule& schedule, const Link& link, int members,
                              double part) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::optional<UniformStep> last;
  for (int step = 0; step < schedule.steps(); ++step) {
    const std::optional<UniformStep> same = schedule.uniform(step);
    if (same && same == last) continue;
    last = same;
    for (int member = 0; member < members; ++member) {
      const ScheduleStep mine = schedule.at(member, step, 0);
      if (mine.to < 0) continue;
      const ScheduleLink one = link(member, mine.to);
      const double bytes = part * (mine.out.last - mine.out.first);
      shortest = std::min(shortest, later_ps(one.latency_ps, ScheduleCosts::flow_ps(one, bytes)));
    }
  }
  return shortest;
}

}  // namespace

bool last_counts(const CollectiveSchedule& schedule, const ScheduleCosts& costs,
                 std::size_t lanes) {
  if (UniformTimes::suits(schedule)) return lanes == 1 && meets(schedule, costs.link);
  const Phases* const phases = schedule.phases();
  if (phases == nullptr) return false;
  for (const Phases::Phase& phase : phases->all()) {
    for (const Team& team : phase.teams) {
      if (team.schedule->steps() == 0 || within_block(team, static_cast<int>(lanes))) continue;
      if (!meets(*team.schedule, links_of(team, costs))) return false;
    }
  }
  return true;
}

std::int64_t longest_decision_ps(const CollectiveSchedule& schedule, const ScheduleCosts& costs,
                                 std::size_t lanes, double part) {
  const auto width = static_cast<int>(lanes);
  const Phases* const phases = schedule.phases();
  if (phases == nullptr) {
    // a host awaits the send of four steps before; of fewer steps none before the update
    const int ahead = std::min(static_cast<int>(QueuedSteps::kAhead), schedule.steps());
    const std::int64_t shortest = shortest_copy_ps(schedule, costs.link, 1, part);
    return ahead > 0 && shortest > kEndOfClock / ahead ? kEndOfClock : ahead * shortest;
  }
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (const Phases::Phase& phase : phases->all()) {
    for (const Team& team : phase.teams) {
      if (team.first_place >= width) continue;
      const bool within = within_block(team, width);
      const int members = within ? team.size : std::min(team.size, width / team.stride);
      shortest = std::min(shortest, shortest_copy_ps(*team.schedule, links_of(team, costs), members,
                                                     part * team.scale));
    }
  }
  return shortest;  // ranks that only receive queue steps without copies between their sends
}

}  // namespace paceline
