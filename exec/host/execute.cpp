// SPDX-License-Identifier: MIT
#include "exec/host/execute.hpp"

#include "exec/host/execution.hpp"
#include "exec/machine/execution_plan.hpp"
#include "training/experiment/repeats.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {

std::string not_executable_on_host(const ExperimentPoint& point) {
  if (point.machine) return "machine '" + point.machine->name() + "' is not this machine";
  if (point.experiment.devices) return "'devices' shares a GPU, and the host has none";
  const AllReduce* all_reduce = point.experiment.aggregation->all_reduce();
  if (all_reduce != nullptr && all_reduce->native())
    return "all-reduce algorithm 'nccl' needs GPUs";
  if (point.experiment.precision != Precision::fp32) return "the CPU computes in fp32 only";
  for (const auto& [worker, straggler] : point.experiment.stragglers.workers) {
    if (straggler.slowdown < 1)
      return "no worker can compute faster than the CPU (a slowdown below 1)";
  }
  if (point.experiment.workload) return "";
  return untrainable(*point.network, point.experiment.batch);
}

Seconds patience_of(const ExperimentPoint& point) {
  // longer than a step of a small collective lasts
  return point.experiment.workload ? Seconds{50e-6} : Seconds{};
}

Execution::Execution(const Setting& setting)
    : setting_(setting), trainer_(setting, setting.plan.workers) {}

Executed Execution::run(std::uint32_t repeat, Recorder& recorder, TimeSource& time) {
  const Plan plan = plan_of_execution(setting_, repeat, &recorder);
  const Aggregation& aggregation = *setting_.point->experiment.aggregation;
  Learning learning = trainer_.start(plan, repeat);
  Executed executed;
  executed.curve = trainer_.watch(learning.buffers(), repeat, recorder, executed.status, [&] {
    HostMachine machine(plan, learning, time, nullptr, aggregation.placement());
    start_roles(aggregation, plan, machine);
    machine.run();
  });
  executed.weights = learning.buffers().model();
  return executed;
}

Measurement execute_on_host(const Setting& point_setting, bool keep_steps) {
  Setting setting = point_setting;
  Execution execution(setting);
  setting.counting.loss_bound = execution.loss_bound();
  return measure_repeats(setting, keep_steps,
                         [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
                           WallTime time(patience_of(*setting.point));
                           Executed executed = execution.run(repeat, recorder, time);
                           status = executed.status;
                           return executed.curve;
                         });
}

}  // namespace paceline
