// SPDX-License-Identifier: MIT
#include "training/experiment/input_checks.hpp"

#include <algorithm>

#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// Refuses what each worker has items of, where one server has the batch of all.
/// \param what the key's value, or the key
void refuse_scattering(const ExperimentPoint& point, const char* key, const std::string& what,
                       Diagnostics& diagnostics) {
  const Choice<Aggregation>& aggregation = point.experiment.aggregation;
  if (!aggregation->scatters()) return;
  const auto others =
      family<Aggregation>().names_where([](const Aggregation& one) { return !one.scatters(); });
  diagnostics.error(point.place(key),
                    what + " is of items that each worker has, and of aggregation '" +
                        aggregation.kind() + "' one server has them (use " + join(others) + ")");
}

/// A data set in the workers' memory.
void check_resident(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  const std::int64_t items = experiment.input->loading().resident;
  if (items == 0) return;
  refuse_scattering(point, "input", "input '" + experiment.input.kind() + "'", diagnostics);
  int most = experiment.batch;
  if (experiment.validation) most = std::max(most, experiment.validation->batch_or(most));
  if (items < most) {
    diagnostics.error(point.place("input"), "the data set has " + std::to_string(items) +
                                                " items, and a batch " + std::to_string(most));
  }
}

void check_source(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.input->loading()) return;
  const Location at = point.place("input");
  if (experiment.process_count() > 1) {
    diagnostics.error(at, "input '" + experiment.input.kind() +
                              "' needs workers of one process (use processes: {count: 1})");
  }
}

/// Copies from memory that is not pinned.
void check_pageable(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.input->loading().pageable) return;
  const Tree* input = point.tree.find("input");
  const Tree* pinned = input->find("pinned");  // null: of a preset
  const Location at = pinned != nullptr ? pinned->at : input->at;
  const Aggregation& aggregation = *experiment.aggregation;
  if (aggregation.scatters() && aggregation.placement() == ServerPlacement::cpu &&
      aggregation.inputs() == InputsOfWorkers::scattered) {
    diagnostics.error(at,
                      "'pinned' is of copies from loaders to GPUs, and the server on the CPU gets "
                      "the batch (use inputs: sliced or whole)");
  }
  if (point.machine && point.machine->host_of(0).pageable_bandwidth > BytesPerSecond{}) return;
  diagnostics.error(at, std::string("machine '") +
                            (point.machine ? point.machine->name() : "this") +
                            "' does not say how fast copies from pageable memory are (add "
                            "'pageable_bandwidth' to the 'host' of a machine file, or leave "
                            "'pinned' out)");
}

/// Programs that do not know checkpoints.
void check_programs(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.aggregation->trains_only() || !experiment.checkpoint) return;
  diagnostics.error(point.place("checkpoint"),
                    "'checkpoint' has no effect with aggregation '" +
                        experiment.aggregation.kind() +
                        "' and its optimizer on the first GPU (leave it out)");
}

/// Inputs that workers get from the host's memory.
void check_inputs_at_host(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  const Aggregation& aggregation = *experiment.aggregation;
  const InputsOfWorkers inputs = aggregation.inputs();
  if (inputs == InputsOfWorkers::scattered) return;
  const Loading loading = experiment.input->loading();
  const bool at_host = aggregation.placement() == ServerPlacement::cpu;
  if (!loading && (!at_host || inputs == InputsOfWorkers::sliced)) {
    diagnostics.error(point.place("aggregation"),
                      "'inputs' is of a batch that loaders make in the host's memory (use an input "
                      "of kind pipeline, or leave it out)");
  }
  if (loading.staging > 0) {
    diagnostics.error(point.place("input"),
                      "'staging' copies a batch ahead, and with 'inputs' workers copy it as they "
                      "need it (leave it out)");
  }
}

void check_validation(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.validation) return;
  refuse_scattering(point, "validation", "'validation'", diagnostics);
  if (experiment.validation->prefetch && !experiment.input->loading()) {
    diagnostics.error(point.tree.find("validation")->find("prefetch")->at,
                      "'prefetch' is of loaders, and input '" + experiment.input.kind() +
                          "' has none (leave it out)");
  }
}

void check_checkpoint(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.checkpoint) return;
  constexpr double kMost = 1000;  // arrays: beyond it a unit is wrong
  const auto& size = experiment.checkpoint->size;
  if (size && point.network) {
    const auto weights = static_cast<double>(point.network->parameters());
    const Bytes most{kMost * kBytesPerParameter * weights};
    if (*size > most) {
      diagnostics.error(point.tree.find("checkpoint")->find("size")->at,
                        "'size' of a checkpoint must be <= " + to_flow(Value<Bytes>::write(most)) +
                            ", 1000 times the weights");
    }
  }
  if (experiment.process_count() == 1) return;
  diagnostics.error(point.place("checkpoint"),
                    "'checkpoint' needs workers of one process (use processes: {count: 1})");
}

}  // namespace

void check_items(const ExperimentPoint& point, Diagnostics& diagnostics) {
  check_source(point, diagnostics);
  check_resident(point, diagnostics);
  check_pageable(point, diagnostics);
  check_programs(point, diagnostics);
  check_inputs_at_host(point, diagnostics);
  check_validation(point, diagnostics);
  check_checkpoint(point, diagnostics);
}

}  // namespace paceline
