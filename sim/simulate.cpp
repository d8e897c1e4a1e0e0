// SPDX-License-Identifier: MIT
#include "sim/simulate.hpp"

#include <algorithm>
#include <utility>

#include "sim/devices/simulated_machine.hpp"
#include "sim/round_tape.hpp"
#include "training/experiment/repeats.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

/// Runs the roles of a repeat on the simulated clock.
void run_roles(const Prediction& prediction, const Plan& plan, std::uint32_t repeat,
               Learning* learning) {
  const Costs costs = prediction.costs_of(repeat);
  SimulatedMachine clock(*prediction.machine, costs, prediction.vertices, plan.workers,
                         plan.observer, learning);
  const Aggregation& aggregation = *prediction.point->experiment.aggregation;
  start_roles(aggregation, plan, clock);
  clock.run();
}

}  // namespace

void simulate_once(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder) {
  Plan plan = prediction.plan_of(repeat, &recorder);
  const bool metrics_only = plan.observer == &recorder;
  if (metrics_only && RoundTape::suits(plan, prediction.costs.variation)) {
    const std::int64_t more = std::exchange(plan.updates, RoundTape::kRounds) - RoundTape::kRounds;
    plan.gradients = plan.updates * plan.rule.gradients;
    RoundTape tape(plan);
    plan.observer = &tape;
    run_roles(prediction, plan, repeat, nullptr);
    if (tape.repeats() && tape.play(recorder, more)) return;
  }
  simulate_all_rounds(prediction, repeat, recorder);
}

void simulate_all_rounds(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder) {
  run_roles(prediction, prediction.plan_of(repeat, &recorder), repeat, nullptr);
}

std::vector<CurvePoint> simulate_training(const Prediction& prediction, Trainer& trainer,
                                          std::uint32_t repeat, Recorder& recorder,
                                          std::string& status) {
  const Plan plan = prediction.plan_of(repeat, &recorder);
  Learning learning = trainer.start(plan, repeat);
  return trainer.watch(learning.buffers(), repeat, recorder, status,
                       [&] { run_roles(prediction, plan, repeat, &learning); });
}

namespace {

/// An aggregation in which workers all-reduce: a single worker exchanges nothing.
Choice<Aggregation> any_all_reduce() {
  const auto all_reduces = [](const Aggregation& one) { return one.all_reduce() != nullptr; };
  return Choice<Aggregation>(family<Aggregation>().names_where(all_reduces).front());
}

/// The point that was published for one worker: `point` with one worker and the aggregation of
/// `row`.
ExperimentPoint one_worker_of(const ExperimentPoint& point, const OneWorker& row) {
  ExperimentPoint one = point;
  one.experiment.workers = 1;
  one.experiment.repeats = 1;
  one.experiment.stragglers = {};
  const std::string& aggregation = row.aggregation;
  if (aggregation != point.experiment.aggregation.kind()) {
    // the published row has another aggregation, none, or an unknown one
    const Choice<Aggregation> known(aggregation);
    one.experiment.aggregation = known ? known : any_all_reduce();
  }
  // one mini-batch per update, whatever the point's update takes
  one.experiment.update = default_update(*one.experiment.aggregation);
  return one;
}

void scale_arithmetic(Costs& costs, double factor) {
  for (Seconds& time : costs.forward) time = time * factor;
  for (Seconds& time : costs.backward) time = time * factor;
}

}  // namespace

Prediction matched_to_published(const Prediction& given) {
  Prediction prediction = given;
  if (!prediction.to_match) return prediction;
  const OneWorker row = *std::exchange(prediction.to_match, std::nullopt);
  const ExperimentPoint point = one_worker_of(*prediction.point, row);
  Prediction one = make_prediction(point, nullptr);
  const double target = point.experiment.batch / row.throughput;
  const double arithmetic = one.costs.arithmetic(0).value();
  // the time outside arithmetic hardly changes with the factor, so a few corrections suffice
  double factor = 1;
  for (int round = 0; round < 4; ++round) {
    Recorder recorder(one.counting);
    simulate_once(one, 0, recorder);
    const double simulated = *recorder.result().iteration_mean;
    const double next = std::max(0.05, factor + (target - simulated) / arithmetic);
    scale_arithmetic(one.costs, next / factor);
    factor = next;
  }
  scale_arithmetic(prediction.costs, factor);
  return prediction;
}

Measurement simulate(const Prediction& given, bool keep_steps) {
  Prediction prediction = matched_to_published(given);
  std::optional<Trainer> trainer;
  if (prediction.point->experiment.train) {
    trainer.emplace(prediction, 1);
    prediction.counting.loss_bound = trainer->loss_bound();
  }
  return measure_repeats(
      prediction, keep_steps, [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
        if (trainer) return simulate_training(prediction, *trainer, repeat, recorder, status);
        simulate_once(prediction, repeat, recorder);
        return std::vector<CurvePoint>();
      });
}

}  // namespace paceline
