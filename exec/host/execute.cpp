// SPDX-License-Identifier: MIT
#include "exec/host/execute.hpp"

#include <cmath>

#include "exec/host/execution.hpp"

namespace paceline {

std::string not_executable_on_host(const ExperimentPoint& point) {
  if (point.machine) return "machine '" + point.machine->name() + "' is not this machine";
  const AllReduce* all_reduce = point.experiment.aggregation->all_reduce();
  if (all_reduce != nullptr && all_reduce->native())
    return "all-reduce algorithm 'nccl' needs GPUs";
  if (point.experiment.precision != Precision::fp32) return "the CPU computes in fp32 only";
  for (const auto& [worker, straggler] : point.experiment.stragglers.workers) {
    if (straggler.slowdown < 1)
      return "no worker can compute faster than the CPU (a slowdown below 1)";
  }
  return untrainable(*point.network, point.experiment.batch);
}

Execution::Execution(const Setting& setting) : setting_(setting) {
  const ExperimentPoint& point = *setting.point;
  const Experiment& experiment = point.experiment;
  if (experiment.train) dataset_ = experiment.train->dataset;
  for (int worker = 0; worker < experiment.workers; ++worker) {
    arithmetic_.push_back(std::make_unique<WorkerArithmetic>(
        *point.network, experiment.batch, *dataset_, experiment.seed, worker,
        experiment.stragglers.slowdown(worker)));
  }
}

std::vector<float> Execution::run(std::uint32_t repeat, Recorder& recorder, TimeSource& time) {
  const Plan plan = setting_.plan_of(repeat, &recorder);
  const Experiment& experiment = setting_.point->experiment;
  HostMemory memory(plan, *experiment.optimizer,
                    initial_weights(*setting_.point->network, experiment.seed));
  HostMachine machine(plan, memory, arithmetic_, time);
  for (RoleId role = 0; role < plan.roles(); ++role) {
    machine.start_role(role, experiment.aggregation->program(plan, machine, role));
  }
  machine.run();
  return memory.model();
}

double Execution::last_loss() const {
  double sum = 0;
  int count = 0;
  for (const auto& worker : arithmetic_) {
    if (std::isnan(worker->last_loss())) continue;  // cancelled before it ever finished
    sum += worker->last_loss();
    ++count;
  }
  return sum / count;
}

Measurement execute_on_host(const Setting& setting, bool keep_steps) {
  Execution execution(setting);
  return measure_repeats(setting, keep_steps, [&](std::uint32_t repeat, Recorder& recorder) {
    WallTime time;
    execution.run(repeat, recorder, time);
    return std::optional<double>(execution.last_loss());
  });
}

}  // namespace paceline
