// SPDX-License-Identifier: MIT
// What closed forms say of a point.
#include "training/setting.hpp"
#include "training/theory/closed_form.hpp"

namespace paceline {

Measurement theory_of(const Setting& setting) {
  Measurement result;
  const ExperimentPoint& point = *setting.point;
  const Experiment& experiment = point.experiment;
  if (!experiment.update) return result;
  const Seconds compute = setting.costs.forward_total() + setting.costs.backward_total();
  // no closed form knows of workers whose arithmetic takes turns
  const bool shared =
      setting.costs.shared_card >= 0 && !setting.costs.groups && experiment.workers > 1;
  if (shared && compute > Seconds{}) return result;
  const std::string policy = point.update_name();
  const Rule& rule = setting.plan.rule;
  const Waiting waiting = waiting_of(policy, rule, experiment.workers);
  Stragglers stragglers = experiment.stragglers;
  for (int worker = 0; worker < experiment.workers; ++worker) {  // GPUs may differ
    const auto at = static_cast<std::size_t>(worker);
    stragglers.workers[worker].slowdown = setting.costs.slowdown[at];
  }
  const std::optional<Theory> theory = paceline::theory(waiting, compute, stragglers);
  if (!theory) return result;
  if (theory->bound) result.status = "bound";
  result.iteration_mean = theory->iteration.value();
  result.staleness_mean = theory->staleness;
  if (theory->iteration > Seconds{}) {
    result.throughput = rule.mini_batches() * experiment.batch / theory->iteration.value();
  }
  return result;
}

}  // namespace paceline
