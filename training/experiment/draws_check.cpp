// SPDX-License-Identifier: MIT
#include "training/experiment/draws_check.hpp"

#include <algorithm>
#include <array>

namespace paceline {
namespace {

/// Why delays are not one independent draw of each worker and step; "" if they are.
std::string other_delays(const Stragglers& stragglers) {
  const Choice<Straggler>& compute = stragglers.compute;
  const Choice<Straggler>& communication = stragglers.communication;
  if (!compute && !communication) return "no delay is drawn at random";
  if (compute && communication)
    return "a step has two draws, those of 'compute' and of 'communication'";
  if ((compute ? compute : communication)->shape().lasting)
    return "the draws of '" + (compute ? compute : communication).kind() +
           "' depend on each other from step to step";
  if (compute && compute->phase != Phase::forward)
    return "a delay before backward comes after part of the arithmetic";
  const auto is_slow = [](const auto& worker) {
    return worker.second.slowdown != 1 || worker.second.delay;
  };
  if (std::ranges::any_of(stragglers.workers, is_slow))
    return "'stragglers.workers' makes workers unequal";
  return stragglers.failures ? "workers fail" : "";
}

/// Why an update takes more than one gradient of each worker, or not all; "" if it does not.
std::string other_updates(const Experiment& experiment) {
  const Aggregation& aggregation = *experiment.aggregation;
  const AllReduce* all_reduce = aggregation.all_reduce();
  if (!experiment.update || !(*experiment.update)->takes_all_workers())
    return "'update' does not wait for all workers";
  if ((*experiment.update)->rule(experiment.workers).steps() > 1)
    return "an update takes several mini-batches of a worker, each with a draw";
  if (all_reduce == nullptr)
    return "aggregation '" + experiment.aggregation.kind() +
           "' has more to wait for than the last worker";
  if (all_reduce->native())
    return "calls of the collective library make the layers beside them longer";
  const bool whole = all_reduce->whole() && !aggregation.codec() && !aggregation.sparse();
  return whole ? "" : "slices, compression and sparse gradients are simulated by events";
}

/// A key that needs every worker, or brings other waits than those for the last; "" if none does.
std::string other_key(const Experiment& experiment) {
  const std::array<std::pair<const char*, bool>, 8> keys{{
      {"workload", experiment.workload.has_value()},
      {"train", experiment.train.has_value()},
      {"input", experiment.input->loading().brings()},
      {"lengths", experiment.lengths.has_value()},
      {"validation", experiment.validation.has_value()},
      {"checkpoint", experiment.checkpoint.has_value()},
      {"devices", experiment.devices.has_value()},
      {"processes", experiment.process_count() > 1},
  }};
  const auto key = std::ranges::find_if(keys, [](const auto& one) { return one.second; });
  return key == keys.end() ? "" : std::string("'") + key->first + "' needs every worker";
}

}  // namespace

std::string refusal_of_extremes(const std::string& why) {
  return "'draws: extremes' cannot hold: " + why + " (use exact)";
}

void refuse_extremes(const ExperimentPoint& point, const std::string& why,
                     Diagnostics& diagnostics) {
  diagnostics.error(point.place("draws"), refusal_of_extremes(why));
}

void check_draws(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (experiment.draws != Draws::extremes) return;
  std::string why = other_key(experiment);
  if (why.empty()) why = other_delays(experiment.stragglers);
  if (why.empty() && experiment.workers > 1) why = other_updates(experiment);
  if (!why.empty()) refuse_extremes(point, why, diagnostics);
}

}  // namespace paceline
