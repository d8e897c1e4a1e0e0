// SPDX-License-Identifier: MIT
#include "sim/lanes/run_in_lanes.hpp"

#include <algorithm>

#include "sim/lanes/lane_links.hpp"
#include "sim/lanes/lane_machine.hpp"

namespace paceline {
namespace {

/// Whether all workers run one program, and there are no other roles.
bool one_program(const Experiment& experiment, const Plan& plan) {
  const bool alone = plan.workers > 1 && plan.roles() == plan.workers && plan.processes.empty();
  const bool computes = !plan.takes_batches(0) && !plan.validation && !plan.checkpoint;
  return alone && computes && !experiment.train && !plan.mortality.lifetime &&
         experiment.aggregation->runs_alike(plan);
}

/// Whether every worker has a processor to itself, and the host does nothing but launch kernels.
bool own_processors(const Costs& costs) {
  const bool shared = costs.cores > 0 || costs.shared_card >= 0 || costs.groups;
  const bool handled = costs.handling > Seconds{} || costs.operation_start > Seconds{};
  return !shared && !handled && !costs.processes.several() && !costs.one_copy_engine;
}

}  // namespace

bool run_in_lanes(const Prediction& prediction, const Plan& plan, const Costs& costs) {
  const Experiment& experiment = prediction.point->experiment;
  const bool observed = plan.observer != nullptr && plan.observer->observes_steps();
  const bool alone = prediction.beside.empty() && !observed && !costs.by_events;
  if (!alone || !one_program(experiment, plan) || !own_processors(costs)) return false;
  LaneLinks links(*prediction.machine, prediction.vertices);
  if (plan.schedule->ranks() != plan.workers || !links.suits(*plan.schedule)) return false;
  ScheduleCosts link_costs;
  link_costs.link = [&links](int from, int to) { return links.link(from, to); };
  link_costs.decision_ps = to_ps(costs.decision);
  for (RoleId worker = 0; worker < plan.workers; ++worker)
    link_costs.sum.push_back(costs.memory_slowdown_of(worker) * costs.worker_reduce);
  const auto lanes = static_cast<std::size_t>(plan.workers);
  LaneMachine machine(*prediction.machine, costs, link_costs, prediction.vertices, plan, lanes);
  const Plan all = machine.plan_of_all();
  machine.run(experiment.aggregation->program(all, machine, 0));
  return true;
}

}  // namespace paceline
