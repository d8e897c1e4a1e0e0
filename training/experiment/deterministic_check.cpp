// SPDX-License-Identifier: MIT
#include "training/experiment/deterministic_check.hpp"

namespace paceline {

void check_deterministic(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.deterministic || experiment.workers == 1) return;
  if (!experiment.aggregation->exchanges()) return;
  const Location at = point.place("deterministic");
  if (experiment.update && !(*experiment.update)->takes_all_workers()) {
    diagnostics.error(at, "update '" + experiment.update->kind() +
                              "' takes gradients as they come (with 'deterministic': sync)");
  } else if (experiment.aggregation->all_reduce() == nullptr) {
    diagnostics.error(at, "aggregation '" + experiment.aggregation.kind() +
                              "' adds gradients as they arrive (with 'deterministic': allreduce)");
  }
}

}  // namespace paceline
