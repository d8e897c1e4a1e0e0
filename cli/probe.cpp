// SPDX-License-Identifier: MIT
#include "cli/probe.hpp"

#include <algorithm>
#include <cmath>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

constexpr std::int64_t kWarmup = 3;  // rounds until the queue at a server is filled
constexpr std::size_t kMostSpans = 2'000'000;
// The most layer executions (forward and backward) of a run; longer runs are shortened.
constexpr double kMostLayers = 300'000;
constexpr std::int64_t kFewestRounds = 10;

/// True if every worker exchanges with every other, so that the number of spans grows
/// quadratically.
bool all_to_all(const Prediction& setting) {
  const AllReduce* all_reduce = setting.point->experiment.aggregation->all_reduce();
  if (all_reduce != nullptr) return !all_reduce->native();
  return setting.plan.shards > 1 && setting.plan.shards == setting.plan.workers;
}

}  // namespace

bool can_probe(const ExperimentPoint& point) {
  const auto& update = point.experiment.update;
  return !update || (*update)->rule(point.experiment.workers).adaptation.window == 0;
}

std::int64_t as_many_as(std::int64_t rounds, const Experiment& experiment) {
  if (!experiment.update) return rounds;
  const Rule rule = (*experiment.update)->rule(experiment.workers);
  if (rule.restart != Restart::everyone) return rounds;
  return std::max<std::int64_t>(1, rounds * rule.gradients / experiment.workers);
}

ExperimentPoint shortened(const ExperimentPoint& point) {
  ExperimentPoint copy = point;
  Experiment& experiment = copy.experiment;
  experiment.repeats = 1;
  if (!can_probe(point)) return copy;
  const double layers =
      2.0 * static_cast<double>(point.network->layers.size()) * experiment.workers;
  const auto most = as_many_as(
      std::max(kFewestRounds, static_cast<std::int64_t>(kMostLayers / layers)), experiment);
  experiment.steps.rounds = std::min(experiment.steps.rounds, most);
  experiment.warmup.rounds = std::min(experiment.warmup.rounds, most);
  return copy;
}

ExperimentPoint without_training(const ExperimentPoint& point) {
  ExperimentPoint timed = point;
  timed.experiment.train.reset();
  return timed;
}

SharedResource Probed::busiest() const {
  const auto first = std::find_if(busy.begin(), busy.end(),
                                  [](const SharedResource& one) { return !one.of_one_worker; });
  return first == busy.end() ? SharedResource{} : *first;
}

Probe::Probe(const ExperimentPoint& point, Device device, const Profile* profile,
             std::int64_t rounds)
    : point_(point), device_(device), profile_(profile) {
  Experiment& experiment = point_.experiment;
  experiment.repeats = 1;
  experiment.stragglers.failures.reset();
  experiment.draws = Draws::exact;  // few workers, each of which is observed
  experiment.steps = {std::min(experiment.steps.rounds, rounds), 0};
  experiment.warmup = {kWarmup, 0};
  const Prediction given = prediction_of(point_, device_, profile_);
  worker_limit_ = given.machine->worker_limit();
  if (const WorkerGpus& gpus = experiment.gpus; gpus.order == WorkerGpus::Order::listed) {
    const int listed = static_cast<int>(gpus.list.size());
    worker_limit_ = std::min(worker_limit_.value_or(listed), listed);
  }
  if (!given.to_match) return;
  matched_ = matched_to_published(given).costs;
}

bool Probe::affords(int workers) const {
  if (last_workers_ == 0) return true;
  const double more = static_cast<double>(workers) / last_workers_;
  return last_cost_ * std::pow(more, growth_) <= left_;
}

Probed Probe::with_workers(int workers) {
  Variant variant;
  variant.experiment = [workers](Experiment& experiment) { experiment.workers = workers; };
  return with(variant);
}

Probed Probe::with(const Variant& variant) {
  ExperimentPoint point = point_;
  Experiment& experiment = point.experiment;
  variant.experiment(experiment);
  experiment.steps.rounds = as_many_as(experiment.steps.rounds, experiment);
  experiment.warmup.rounds = as_many_as(experiment.warmup.rounds, experiment);
  Prediction setting = prediction_of(point, device_, profile_);
  if (matched_) {
    setting.costs.forward = matched_->forward;
    setting.costs.backward = matched_->backward;
    setting.costs.shapes = matched_->shapes;
    setting.to_match.reset();  // already applied to the layer times
  }
  variant.setting(setting);
  const ExperimentPoint timed = without_training(point);
  setting.point = &timed;
  SpanRecorder spans(kMostSpans, false);
  setting.spans = &spans;
  const Measurement predicted = simulate(setting);
  const Trace& trace = spans.trace();
  Probed probed;
  probed.throughput = predicted.throughput.value_or(0);
  probed.busy = busy_shares(trace, setting);
  last_workers_ = experiment.workers;
  last_cost_ = static_cast<double>(trace.spans.size());
  growth_ = all_to_all(setting) ? 2 : 1;
  left_ -= last_cost_;
  return probed;
}

}  // namespace paceline
