// SPDX-License-Identifier: MIT
#include "sim/jobs_ahead.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "sim/ahead/gradual_call.hpp"
#include "sim/lanes/lane_links.hpp"
#include "sim/lanes/one_program.hpp"

namespace paceline {
namespace {

/// Places of a job's roles between which all routes are looked at.
constexpr std::size_t kMostPlaces = 64;

/// Links of a job's copies.
struct Links {
  std::vector<bool> used;          ///< by link; empty: it may be any
  std::optional<LaneLinks> lanes;  ///< where each worker has its own
};

bool all_reduces(const JobOnMachine& job) {
  const Plan& plan = *job.plan;
  return one_program(job.prediction->point->experiment, plan) && plan.schedule != nullptr &&
         plan.schedule->ranks() == plan.workers && !plan.schedule->side_by_side();
}

/// Of all routes between the places of the job's roles.
std::vector<bool> between_places(const Prediction& job) {
  const Machine& machine = *job.machine;
  const std::set<int> places(job.vertices.begin(), job.vertices.end());
  if (places.size() > kMostPlaces) return {};
  std::vector<bool> used(machine.links().size());
  for (const int from : places) {
    for (const int to : places) {
      if (from == to) continue;
      for (const int link : machine.route(from, to).links())
        used[static_cast<std::size_t>(link)] = true;
    }
  }
  return used;
}

Links links_of(const JobOnMachine& job) {
  Links links;
  const AllReduce* const algorithm = job.prediction->point->experiment.aggregation->all_reduce();
  if (all_reduces(job)) {
    links.lanes.emplace(*job.prediction->machine, job.prediction->vertices);
    if (links.lanes->suits(*job.plan->schedule)) {
      links.used = links.lanes->used();
      return links;
    }
    links.lanes.reset();
  }
  const bool by_library = algorithm != nullptr && algorithm->native();
  if (!by_library) links.used = between_places(*job.prediction);
  return links;
}

/// Whether the job's exchanges can be worked out ahead where nothing disturbs them.
bool suits(const JobOnMachine& job, const Costs& costs) {
  const Plan& plan = *job.plan;
  const bool observed = plan.observer != nullptr && plan.observer->observes_steps();
  return !observed && costs.own_processors() && costs.decision == Seconds{} &&
         GradualSchedule::suits(*plan.schedule);
}

}  // namespace

int work_calls_ahead(std::span<const JobOnMachine> jobs, std::uint32_t repeat) {
  int ahead = 0;
  std::vector<Links> links;
  for (const JobOnMachine& job : jobs) links.push_back(links_of(job));
  for (std::size_t mine = 0; mine < jobs.size(); ++mine) {
    const JobOnMachine& job = jobs[mine];
    if (!links[mine].lanes) continue;
    const Costs costs = job.prediction->costs_of(repeat);
    if (!suits(job, costs)) continue;
    std::vector<bool> disturbed(static_cast<std::size_t>(job.plan->workers));
    for (std::size_t other = 0; other < jobs.size(); ++other) {
      if (other == mine) continue;
      if (links[other].used.empty()) {
        disturbed.assign(disturbed.size(), true);
        break;
      }
      const std::vector<bool> ranks = links[mine].lanes->ranks_on(links[other].used);
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        disturbed[rank] = disturbed[rank] || ranks[rank];
    }
    ahead += static_cast<int>(std::ranges::count(disturbed, false));
    ScheduleCosts all = costs_of_schedule(*job.plan, costs);
    LaneLinks& own = *links[mine].lanes;
    all.link = [&own](int from, int to) { return own.link(from, to); };
    job.machine->take_calls_ahead(*job.plan->schedule, all, disturbed);
  }
  return ahead;
}

}  // namespace paceline
