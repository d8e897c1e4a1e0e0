// SPDX-License-Identifier: MIT
#include "training/experiment/input_checks.hpp"

#include <algorithm>

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

/// Programs that know neither of loaders nor of checkpoints.
void check_programs(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!experiment.aggregation->trains_only()) return;
  const auto refuse = [&](const char* key) {
    diagnostics.error(point.place(key), "'" + std::string(key) +
                                            "' has no effect with aggregation '" +
                                            experiment.aggregation.kind() +
                                            "' and its optimizer on the first GPU (leave it out)");
  };
  if (experiment.input->loading()) refuse("input");
  if (experiment.checkpoint) refuse("checkpoint");
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
  if (!experiment.checkpoint || experiment.process_count() == 1) return;
  diagnostics.error(point.place("checkpoint"),
                    "'checkpoint' needs workers of one process (use processes: {count: 1})");
}

}  // namespace

void check_items(const ExperimentPoint& point, Diagnostics& diagnostics) {
  check_source(point, diagnostics);
  check_resident(point, diagnostics);
  check_programs(point, diagnostics);
  check_validation(point, diagnostics);
  check_checkpoint(point, diagnostics);
}

}  // namespace paceline
