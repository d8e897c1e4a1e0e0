// SPDX-License-Identifier: MIT
#include "sim/lanes/run_in_lanes.hpp"

#include <algorithm>

#include "sim/ahead/schedule_folding.hpp"
#include "sim/lanes/lane_links.hpp"
#include "sim/lanes/lane_machine.hpp"
#include "sim/lanes/one_program.hpp"

namespace paceline {
namespace {

/// Whether nothing is drawn at random, and workers that are equal modulo `lanes` cost the same.
bool costs_fold(const Plan& plan, const Costs& costs, int lanes) {
  const bool draws = plan.delay || plan.link_delay || plan.uneven || costs.variation > 0;
  const auto computer_of = [&](int worker) {
    return costs.computers.empty() ? 0 : costs.computers[static_cast<std::size_t>(worker)];
  };
  if (draws) return false;
  const int computers = computer_of(lanes - 1) + 1;  // of a block of as many workers
  for (int worker = 0; worker < plan.workers; ++worker) {
    const int first = worker % lanes;
    if (costs.slowdown_of(worker) != costs.slowdown_of(first) ||
        costs.memory_slowdown_of(worker) != costs.memory_slowdown_of(first))
      return false;
    // a thread that launches kernels serves the workers of one computer, and no others
    const int like_first = computer_of(first) + worker / lanes * computers;
    if (costs.launches_together() && computer_of(worker) != like_first) return false;
  }
  return true;
}

/// The least number of lanes that gives the times of all workers: one, those of a computer or of
/// several, or all.
std::size_t lanes_of(const Plan& plan, const Costs& costs, const ScheduleCosts& links) {
  const auto all = static_cast<std::size_t>(plan.workers);
  if (plan.observer == nullptr || !plan.observer->takes_equal_workers()) return all;
  for (const int lanes : lanes_to_try(plan.workers, neighbours_of_first(plan), links)) {
    const bool divides = lanes < plan.workers && plan.workers % lanes == 0;
    const auto width = static_cast<std::size_t>(lanes);
    if (divides && costs_fold(plan, costs, lanes) && folds_to(*plan.schedule, links, width))
      return width;
  }
  return all;
}

}  // namespace

std::size_t run_in_lanes(const Prediction& prediction, const Plan& plan, std::uint32_t repeat) {
  const Experiment& experiment = prediction.point->experiment;
  const bool observed = plan.observer != nullptr && plan.observer->observes_steps();
  const bool alone = prediction.beside.empty() && !observed && !prediction.by_events;
  if (!alone || !one_program(experiment, plan) || !own_processors(prediction.costs)) return 0;
  LaneLinks links(*prediction.machine, prediction.vertices);
  if (plan.schedule->ranks() != plan.workers) return 0;
  const Costs costs = prediction.costs_of(repeat);
  const bool own_links = links.suits(*plan.schedule);
  if (!own_links && !(costs_fold(plan, costs, 1) && links.suits_together(*plan.schedule))) return 0;
  ScheduleCosts link_costs = costs_of_schedule(plan, costs);
  link_costs.link = [&links](int from, int to) { return links.link(from, to); };
  const std::size_t lanes = lanes_of(plan, costs, link_costs);
  LaneMachine machine(*prediction.machine, costs, link_costs, prediction.vertices, plan, lanes);
  const Plan all = machine.plan_of_all();
  machine.run(experiment.aggregation->program(all, machine, 0));
  return lanes;
}

}  // namespace paceline
