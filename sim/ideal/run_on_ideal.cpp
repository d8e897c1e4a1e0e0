// SPDX-License-Identifier: MIT
#include "sim/ideal/run_on_ideal.hpp"

#include <utility>

#include "sim/ideal/ideal_machine.hpp"

namespace paceline {
namespace {

/// Whether layers and delays are all that takes time. Layers that take none are refused: several
/// mini-batches may then begin at the instant of an update, on either side of it.
bool only_workers_take_time(const Costs& costs) {
  const bool weights = costs.worker_update > 0 || costs.server_update > 0 ||
                       costs.worker_reduce > 0 || costs.server_reduce > 0 || costs.update_kernels;
  const bool host = costs.decision > Seconds{} || costs.dispatch > Seconds{} ||
                    costs.timer_error > Seconds{} || !costs.after_sleep.empty();
  const bool layers = costs.arithmetic(0) > Seconds{};
  return costs.own_processors() && layers && !weights && !host;
}

/// Whether the programs train and do nothing else, and give no mini-batch up but at the end.
bool trains_only(const Plan& plan) {
  return plan.shards > 0 && !plan.input && !plan.validation && !plan.checkpoint &&
         plan.processes.empty() && !plan.mortality.lifetime && !plan.gives_up();
}

/// Servers with equal shares of the weights do the same at the same instants where neither copies
/// nor sums take time: one does it for all.
void fold_servers(Plan& plan) {
  plan.shards = 1;
  plan.cut.shards = {plan.whole()};
  plan.sites.clear();
}

}  // namespace

bool run_on_ideal(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder) {
  if (prediction.by_events || prediction.machine->kind() != Machine::Kind::ideal) return false;
  Recorder trial(recorder.counting());
  Plan plan = prediction.plan_of(repeat, &trial);
  const Costs costs = prediction.costs_of(repeat);
  if (!trains_only(plan) || !only_workers_take_time(costs) || plan.observer != &trial) return false;
  fold_servers(plan);
  const std::vector<int> vertices(static_cast<std::size_t>(plan.roles()), 0);
  IdealMachine machine(*prediction.machine, costs, vertices, plan.workers, &trial);
  try {
    for (RoleId role = 0; role < plan.programs(); ++role)
      machine.start_role(role,
                         prediction.point->experiment.aggregation->program(plan, machine, role));
    machine.run();
  } catch (const NeedsEvents&) {
    return false;
  }
  recorder = std::move(trial);
  return true;
}

}  // namespace paceline
