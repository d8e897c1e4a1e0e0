// SPDX-License-Identifier: MIT
#include "training/experiment/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/language/value.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/learning/saved_weights.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

// Defaults: the number of evaluations per run, and the multiple of the first loss from which
// training is taken never to recover.
constexpr std::int64_t kEvaluations = 50;
constexpr double kHopeless = 10;

}  // namespace

Trainer::Trainer(const Setting& setting, int engines, std::optional<int> process)
    : setting_(setting),
      process_(process),
      dataset_(dataset_of(setting.point->experiment, *setting.point->network)) {
  const ExperimentPoint& point = *setting.point;
  const Experiment& experiment = point.experiment;
  if (experiment.workload) return;  // no arithmetic
  for (int engine = 0; engine < engines; ++engine) {
    if (process && setting.plan.process_of(engine) != *process) {
      arithmetic_.push_back(nullptr);  // another process computes for this worker
      continue;
    }
    arithmetic_.push_back(std::make_unique<WorkerArithmetic>(
        *point.network, experiment.batch, *dataset_, experiment.seed, setting.lengths));
    if (setting.plan.validation) arithmetic_.back()->validate_on(setting.plan.validation.batch);
  }
  if (!experiment.train) return;
  const std::int64_t updates = setting.plan.updates;
  keep_every_ =
      experiment.train->evaluate.value_or(std::max<std::int64_t>(1, updates / kEvaluations));
  loss_bound_ = experiment.train->loss_bound;
  if (!loss_bound_) loss_bound_ = kHopeless * first_loss();
}

Evaluator Trainer::evaluator(std::uint32_t repeat) const {
  const ExperimentPoint& point = *setting_.point;
  return {*point.network, *dataset_, seed_of_repeat(point.experiment.seed, repeat),
          point.experiment.train->held_out, setting_.lengths};
}

/// The loss of drawn weights. Loaded weights may have a loss so small that a few unlucky
/// mini-batches exceed any multiple of it, so that a bound must not be derived from them; a larger
/// loss counts.
double Trainer::first_loss() const {
  const double drawn = evaluator(0).evaluate(drawn_weights(0)).loss;
  if (setting_.point->initial == nullptr) return drawn;
  return std::max(drawn, evaluator(0).evaluate(initial(0)).loss);
}

std::vector<float> Trainer::initial(std::uint32_t repeat) const {
  const ExperimentPoint& point = *setting_.point;
  return point.initial != nullptr ? point.initial->values : drawn_weights(repeat);
}

std::vector<float> Trainer::drawn_weights(std::uint32_t repeat) const {
  const ExperimentPoint& point = *setting_.point;
  return initial_weights(*point.network, seed_of_repeat(point.experiment.seed, repeat));
}

void Trainer::keep_weights(const Buffers& buffers, std::uint32_t repeat) const {
  const Experiment& experiment = setting_.point->experiment;
  if (setting_.weights == nullptr || !experiment.train) return;
  if (static_cast<int>(repeat) + 1 == experiment.repeats) *setting_.weights = buffers.model();
}

UpdateRule Trainer::update_rule(const Plan& plan) const {
  const Experiment& experiment = setting_.point->experiment;
  UpdateRule rule;
  rule.optimizer = experiment.optimizer.part().get();
  rule.batch = setting_.counting.items_per_gradient;
  rule.workers = plan.workers;
  rule.per_update = plan.rule.gradients * plan.rule.accumulate;
  if (rule.optimizer->reads_again() > 0) rule.layers = setting_.point->network->parameter_offsets();
  if (experiment.samples_per_epoch) {
    rule.samples_per_epoch = static_cast<double>(*experiment.samples_per_epoch);
  }
  return rule;
}

BufferPlan Trainer::declared(const Plan& plan) const {
  return buffers_of(*setting_.point->experiment.aggregation, plan, process_);
}

Learning Trainer::start(const Plan& plan, std::uint32_t repeat) {
  const std::uint64_t seed = seed_of_repeat(setting_.point->experiment.seed, repeat);
  for (const auto& engine : arithmetic_) {
    if (engine != nullptr) engine->reseed(seed);
  }
  return Learning(plan.workers, declared(plan), update_rule(plan), initial(repeat), keep_every_,
                  arithmetic_);
}

Buffers Trainer::buffers(const Plan& plan, std::uint32_t repeat, ArrayStore& store) const {
  return Buffers(declared(plan), update_rule(plan), initial(repeat), keep_every_, store);
}

std::string Trainer::cut_where_diverged(std::vector<CurvePoint>& curve) {
  const auto last = std::ranges::find_if(
      curve, [](const CurvePoint& point) { return !std::isfinite(point.loss); });
  if (last == curve.end()) return "";
  curve.erase(last + 1, curve.end());
  return "diverged at update " + std::to_string(last->updates) + " (held-out loss " +
         print_number(last->loss) + ")";
}

std::vector<CurvePoint> Trainer::curve_of(const Buffers& buffers, std::uint32_t repeat,
                                          const Recorder& recorder, bool complete) const {
  std::vector<CurvePoint> curve;
  if (!setting_.point->experiment.train) return curve;
  Evaluator held_out = evaluator(repeat);
  const auto add = [&](std::int64_t version, const std::vector<float>& model) {
    const auto reached = recorder.reached(version);
    if (!reached) return;  // the run ended between the update and its report
    const Score score = held_out.evaluate(model);
    CurvePoint& point = curve.emplace_back();
    point.repeat = static_cast<int>(repeat);
    point.updates = version;
    point.time_s = (reached->at - Instant{}).value();
    point.items = reached->items;
    point.loss = score.loss - setting_.plan.optimal_loss;
    point.accuracy = score.accuracy;
  };
  for (const std::int64_t version : buffers.kept_versions()) {
    add(version, buffers.kept_model(version));
  }
  // If K grows, the last version is not known beforehand.
  if (complete && recorder.last_version() > curve.back().updates) {
    add(recorder.last_version(), buffers.model());
  }
  return curve;
}

}  // namespace paceline
