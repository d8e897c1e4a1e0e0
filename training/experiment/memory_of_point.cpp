// SPDX-License-Identifier: MIT
#include "training/experiment/memory_of_point.hpp"

#include <algorithm>
#include <vector>

#include "models/memory.hpp"
#include "training/experiment/setting.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// Of a server: its arrays of fp32 values, those of the optimizer included.
Bytes memory_of_server(const RoleBuffers& declared, int optimizer_copies) {
  const std::int64_t optimizer = declared.optimizes ? optimizer_copies * declared.part.size() : 0;
  return Bytes{kBytesPerParameter} * static_cast<double>(declared.parameters() + optimizer);
}

MemoryAssumptions assumptions_of(const ExperimentPoint& point, const RoleBuffers& worker) {
  const Experiment& experiment = point.experiment;
  MemoryAssumptions assumptions;
  assumptions.fused_attention = point.software && point.software->kernels.fused_attention;
  assumptions.element = element_size(experiment.precision);
  assumptions.optimizer_copies = worker.optimizes ? experiment.optimizer->copies() : 0;
  const std::int64_t own = 2 * worker.part.size();  // weights and gradient
  assumptions.exchange_parameters = worker.parameters() - own;
  return assumptions;
}

/// A validation pass takes the memory of training's activations, which are gone by then; only where
/// that is too small has it memory of its own.
Bytes memory_of_validation(const ExperimentPoint& point, const MemoryNeed& training) {
  const auto& validation = point.experiment.validation;
  if (!validation) return {};
  const int batch = validation->batch_or(point.experiment.batch);
  const Bytes need = forward_peak(*point.network, element_size(point.experiment.precision)) * batch;
  return need > training.activations ? need : Bytes{};
}

}  // namespace

WorkerMemory memory_of_workers(const ExperimentPoint& point) {
  WorkerMemory memory;
  if (!point.machine || point.network->classes == 0) return memory;
  const Experiment& experiment = point.experiment;
  const RoleBuffers buffers = buffers_of_role(*experiment.aggregation, plan_of_roles(point), 0);
  const MemoryAssumptions assumptions = assumptions_of(point, buffers);
  const MemoryNeed need = memory_needed(*point.network, experiment.batch, assumptions);
  memory.always = need.total() - need.activations;
  for (const Bytes kept :
       kept_by_layer(*point.network, assumptions.element, assumptions.fused_attention))
    memory.kept.push_back(kept * experiment.batch);
  return memory;
}

Bytes memory_of(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  const Plan plan = plan_of_roles(point);
  const Placement placement = placement_of(point, plan, DevicePool{.gpus = true});
  const int optimizer_copies = experiment.optimizer->copies();

  const RoleBuffers of_worker =
      buffers_of_role(*experiment.aggregation, plan, 0);  // as of all workers
  const MemoryAssumptions assumptions = assumptions_of(point, of_worker);
  const MemoryNeed training = memory_needed(*point.network, experiment.batch, assumptions);
  const Bytes worker = training.total() + memory_of_validation(point, training);

  std::vector<Bytes> by_gpu;
  for (RoleId role = 0; role < plan.programs(); ++role) {
    const Place& place = placement.of(role);
    if (place.device != Place::Device::gpu) continue;
    const auto gpu = static_cast<std::size_t>(place.number);
    if (by_gpu.size() <= gpu) by_gpu.resize(gpu + 1);
    Bytes& all = by_gpu[gpu];
    all = all + (role < plan.workers
                     ? worker
                     : memory_of_server(buffers_of_role(*experiment.aggregation, plan, role),
                                        optimizer_copies));
  }
  return by_gpu.empty() ? Bytes{} : *std::ranges::max_element(by_gpu);
}

Bytes memory_of_item(ExperimentPoint point) {
  point.experiment.batch = 2;
  const Bytes two = memory_of(point);
  point.experiment.batch = 1;
  return two - memory_of(point);  // the need is linear in the batch
}

Bytes memory_without_items(ExperimentPoint point) {
  point.experiment.batch = 1;
  return memory_of(point) - memory_of_item(point);
}

int largest_batch_within(ExperimentPoint point, Bytes memory) {
  int& batch = point.experiment.batch;
  int fits = 0;
  for (int too_large = batch; too_large - fits > 1;) {
    batch = fits + (too_large - fits) / 2;
    (memory_of(point) <= memory ? fits : too_large) = batch;
  }
  return fits;
}

}  // namespace paceline
