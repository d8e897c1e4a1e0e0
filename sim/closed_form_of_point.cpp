// SPDX-License-Identifier: MIT
#include "sim/closed_form_of_point.hpp"

namespace paceline {

Measurement theory_of(const Prediction& prediction) {
  Measurement result;
  const ExperimentPoint& point = *prediction.point;
  const Experiment& experiment = point.experiment;
  if (!experiment.update) return result;
  const Seconds compute = prediction.costs.forward_total() + prediction.costs.backward_total();
  // the theory is of workers' own times
  if (experiment.stragglers.communication || experiment.input->loading()) return result;
  if (experiment.lengths) return result;  // mini-batches of one worker differ
  if (experiment.validation || experiment.checkpoint) return result;
  // no closed form holds if workers take turns on a shared card
  const bool shared =
      prediction.costs.shared_card >= 0 && !prediction.costs.groups && experiment.workers > 1;
  if (shared && compute > Seconds{}) return result;
  Stragglers stragglers = experiment.stragglers;
  for (int worker = 0; worker < experiment.workers; ++worker) {  // GPUs may differ
    const auto at = static_cast<std::size_t>(worker);
    const double slowdown = prediction.costs.slowdown[at];
    if (slowdown != stragglers.slowdown(worker)) stragglers.workers[worker].slowdown = slowdown;
  }
  const auto workers = TimedWorkers::of(experiment.workers, compute, stragglers);
  if (!workers) return result;
  const std::optional<Theory> theory = (*experiment.update)->theory(*workers);
  if (!theory) return result;
  if (theory->bound) result.status = "bound";
  result.iteration_mean = theory->iteration.value();
  result.staleness_mean = theory->staleness;
  if (theory->iteration > Seconds{}) {
    const int mini_batches = prediction.plan.rule.mini_batches();
    result.throughput = mini_batches * experiment.batch / theory->iteration.value();
  }
  return result;
}

}  // namespace paceline
