// SPDX-License-Identifier: MIT
#include "sim/lanes/one_program.hpp"

namespace paceline {

bool one_program(const Experiment& experiment, const Plan& plan) {
  const bool alone = plan.workers > 1 && plan.roles() == plan.workers && plan.processes.empty();
  const bool computes = !plan.takes_batches(0) && !plan.validation && !plan.checkpoint;
  return alone && computes && !experiment.train && !plan.mortality.lifetime &&
         experiment.aggregation->runs_alike(plan);
}

ScheduleCosts costs_of_schedule(const Plan& plan, const Costs& costs) {
  ScheduleCosts all;
  all.decision_ps = to_ps(costs.decision);
  for (RoleId worker = 0; worker < plan.workers; ++worker)
    all.sum.push_back(costs.memory_slowdown_of(worker) * costs.worker_reduce);
  return all;
}

}  // namespace paceline
