// SPDX-License-Identifier: MIT
#include "sim/lanes/one_program.hpp"

#include <algorithm>

namespace paceline {

bool one_program(const Experiment& experiment, const Plan& plan) {
  const bool alone = plan.workers > 1 && plan.roles() == plan.workers && plan.processes.empty();
  const bool computes = !plan.takes_batches(0) && !plan.validation && !plan.checkpoint;
  return alone && computes && !experiment.train && !plan.mortality.lifetime &&
         experiment.aggregation->runs_alike(plan);
}

bool own_processors(const Costs& costs) {
  if (costs.launches_together() && !std::ranges::is_sorted(costs.computers)) return false;
  const bool shared = costs.cores > 0 || costs.shared_card >= 0 || costs.groups;
  const bool handled = costs.handling > Seconds{} || costs.operation_start > Seconds{};
  return !shared && !handled && !costs.processes.several() && !costs.one_copy_engine;
}

ScheduleCosts costs_of_schedule(const Plan& plan, const Costs& costs) {
  ScheduleCosts all;
  all.decision_ps = to_ps(costs.decision);
  for (RoleId worker = 0; worker < plan.workers; ++worker)
    all.sum.push_back(costs.memory_slowdown_of(worker) * costs.worker_reduce);
  return all;
}

}  // namespace paceline
