// SPDX-License-Identifier: MIT
#include "sim/costs/update_cost.hpp"

#include <algorithm>

#include "training/learning/optimizers/lamb.hpp"
#include "training/workload/precision.hpp"

namespace paceline {

namespace {

bool is_composed(const Optimizer& optimizer, const Software& software) {
  return software.lamb.operations > 0 && dynamic_cast<const Lamb*>(&optimizer) != nullptr;
}

/// Operations that add the K gradients of an update: K - 1 if the first gradient serves as the sum.
/// With K = 1 there is nothing to add, but the K of adasync grows.
double operations_of_sum(const Plan& plan) {
  const int gradients = std::max(2, plan.rule.gradients);
  return plan.sums_apart() ? gradients : gradients - 1;
}

}  // namespace

double update_passes(const Optimizer& optimizer, const Software& software) {
  if (is_composed(optimizer, software)) return software.lamb.passes;
  return kPasses + 2.0 * optimizer.copies() + optimizer.reads_again();
}

// At once, the server reads K gradients and writes one sum: K + 1 passes, spread over the
// operations that add them.
double sum_passes(const Software& software, const Plan& plan) {
  if (!software.sums_at_once) return kPasses;
  return (std::max(2, plan.rule.gradients) + 1.0) / operations_of_sum(plan);
}

void cost_of_updates(Costs& costs, const ExperimentPoint& point, const Plan& plan,
                     BytesPerSecond worker, BytesPerSecond server) {
  const double passes = update_passes(*point.experiment.optimizer, *point.software);
  costs.worker_reduce = kPasses / worker.value();
  costs.server_reduce = sum_passes(*point.software, plan) / server.value();
  costs.worker_update = passes / worker.value();
  costs.server_update = passes / server.value();
}

void cost_of_update_kernels(Costs& costs, const ExperimentPoint& point, const Plan& plan) {
  const KernelCost& kernels = point.software->kernels;
  UpdateKernels& all = costs.update_kernels;
  const bool composed = is_composed(*point.experiment.optimizer, *point.software);
  const int of_update = composed ? point.software->lamb.operations : kernels.of_update;
  all.launch = of_update * kernels.launch;
  if (!all) return;
  if (composed) all.of_sum = static_cast<double>(kernels.of_update) / of_update;
  if (point.software->sums_at_once) all.of_sum /= operations_of_sum(plan);
  const std::vector<std::int64_t> offsets = point.network->parameter_offsets();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto tensors = static_cast<std::size_t>(point.network->layers[i].tensors);
    all.tensors.insert(all.tensors.end(), tensors, offsets[i]);
  }
}

void cost_updates_as_measured(Costs& costs, const ExperimentPoint& point,
                              const NetworkProfile& measured) {
  const auto bytes = static_cast<double>(point.network->parameters()) * kBytesPerParameter;
  if (bytes <= 0) return;
  costs.update_kernels = {};
  costs.worker_update = costs.server_update = measured.update.value() / bytes;
  costs.worker_reduce = costs.server_reduce = measured.reduce.value() / bytes;
  if (point.experiment.aggregation->placement() != ServerPlacement::cpu) return;
  costs.server_update = measured.cpu_update.value_or(measured.update).value() / bytes;
  costs.server_reduce = measured.cpu_reduce.value_or(measured.reduce).value() / bytes;
}

}  // namespace paceline
