// SPDX-License-Identifier: MIT
#include "sim/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <utility>

#include "experiments/language/counted.hpp"
#include "sim/devices/simulated_machine.hpp"
#include "sim/ideal/run_on_ideal.hpp"
#include "sim/jobs_ahead.hpp"
#include "sim/lanes/run_in_lanes.hpp"
#include "sim/round_tape.hpp"
#include "training/experiment/draws_check.hpp"
#include "training/experiment/repeats.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

/// Updates of a job that shares the machine with the one that is measured: it goes on until that
/// has ended.
constexpr std::int64_t kEndless = std::int64_t{1} << 40;

/// A job on a shared machine: its plan and costs, which the simulated machine refers to.
class SimulatedJob {
 public:
  SimulatedJob(const Prediction& prediction, Plan plan, std::uint32_t repeat, SharedMachine& shared,
               unsigned number, Learning* learning)
      : plan_(std::move(plan)),
        costs_(prediction.costs_of(repeat)),
        machine_(shared, number, *prediction.machine, costs_, prediction.vertices, plan_.workers,
                 plan_.observer, learning) {
    start_roles(*prediction.point->experiment.aggregation, plan_, machine_);
  }
  SimulatedMachine& machine() { return machine_; }
  const Plan& plan() const { return plan_; }

 private:
  Plan plan_;
  Costs costs_;
  SimulatedMachine machine_;
};

}  // namespace

int run_by_events(const Prediction& prediction, const Plan& plan, std::uint32_t repeat,
                  Learning* learning) {
  SharedMachine shared;
  std::deque<SimulatedJob> jobs;
  jobs.emplace_back(prediction, plan, repeat, shared, 0U, learning);
  for (const Prediction& other : prediction.beside) {
    Plan endless = other.plan_of(repeat, nullptr);
    endless.updates = kEndless;
    endless.gradients = kEndless * endless.rule.gradients;
    const auto number = static_cast<unsigned>(jobs.size());
    jobs.emplace_back(other, std::move(endless), repeat, shared, number, nullptr);
  }
  std::vector<SimulatedMachine*> machines;
  std::vector<JobOnMachine> beside_each_other;
  for (SimulatedJob& job : jobs) {
    const std::size_t number = machines.size();
    const Prediction& of = number == 0 ? prediction : prediction.beside[number - 1];
    beside_each_other.push_back({&of, &job.plan(), &job.machine()});
    machines.push_back(&job.machine());
  }
  const bool ahead = jobs.size() > 1 && !prediction.by_events;
  const int workers = ahead ? work_calls_ahead(beside_each_other, repeat) : 0;
  shared.run(machines);
  return workers;
}

std::string simulate_once(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder) {
  Plan plan = prediction.plan_of(repeat, &recorder);
  const bool extremes = plan.draws_extremes();
  if (const std::size_t lanes = run_in_lanes(prediction, plan, repeat))
    return "lanes: " + std::to_string(lanes) + " for " + counted(plan.workers, "worker") +
           (extremes ? ", the longest delays only" : "");
  if (extremes) {
    const std::string why = against_extremes(prediction);
    throw std::runtime_error(refusal_of_extremes(why.empty() ? "each worker is observed" : why));
  }
  const bool metrics_only = plan.observer == &recorder && prediction.beside.empty();
  if (metrics_only && !prediction.by_events && RoundTape::suits(plan, prediction.costs.variation)) {
    const std::int64_t more = std::exchange(plan.updates, RoundTape::kRounds) - RoundTape::kRounds;
    plan.gradients = plan.updates * plan.rule.gradients;
    RoundTape tape(plan);
    plan.observer = &tape;
    run_by_events(prediction, plan, repeat);
    if (tape.repeats() && tape.play(recorder, more)) return "repeated rounds";
  }
  if (metrics_only && run_on_ideal(prediction, repeat, recorder)) return "known ends";
  const int ahead = run_by_events(prediction, prediction.plan_of(repeat, &recorder), repeat);
  return ahead == 0 ? "events" : "events, ahead of them for " + counted(ahead, "worker");
}

void simulate_all_rounds(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder) {
  Prediction all = prediction;
  all.by_events = true;
  run_by_events(all, all.plan_of(repeat, &recorder), repeat);
}

std::vector<CurvePoint> simulate_training(const Prediction& prediction, Trainer& trainer,
                                          std::uint32_t repeat, Recorder& recorder,
                                          std::string& status) {
  const Plan plan = prediction.plan_of(repeat, &recorder);
  Learning learning = trainer.start(plan, repeat);
  return trainer.watch(learning.buffers(), repeat, recorder, status,
                       [&] { run_by_events(prediction, plan, repeat, &learning); });
}

namespace {

/// An aggregation in which workers all-reduce, without overlap, so that gradients are one bucket: a
/// single worker exchanges nothing.
Choice<Aggregation> any_all_reduce() {
  const auto all_reduces = [](const Aggregation& one) { return one.all_reduce() != nullptr; };
  const auto names = family<Aggregation>().names_where(all_reduces);
  return with_key(Choice<Aggregation>(names.front()), "overlap", "false");
}

/// The update that the row's step includes, whatever the point's own takes.
std::optional<Choice<UpdatePolicy>> update_of(const CostRow& row, const Aggregation& aggregation) {
  auto update = default_update(aggregation);
  if (!update || row.accumulate == 1) return update;
  return with_key(*update, "accumulate", std::to_string(row.accumulate));
}

/// The aggregation of the update that the row's step includes: the point's, or one of its kind that
/// is elsewhere, another, or any where the row has none or an unknown one.
Choice<Aggregation> aggregation_of(const CostRow& row, const Choice<Aggregation>& of_point) {
  const bool unknown = row.aggregation.empty() && row.aggregation_keys.empty();
  if (unknown) return row.workers == 1 ? any_all_reduce() : of_point;
  Choice<Aggregation> known = of_point;
  if (!row.aggregation.empty() && row.aggregation != of_point.kind())
    known = Choice<Aggregation>(row.aggregation);
  if (!known) return any_all_reduce();
  for (const auto& [key, value] : row.aggregation_keys) {
    const auto there = with_key(known, key.c_str(), value);
    // other keys of the point may be of its own place
    const auto bare =
        there ? there : with_key(Choice<Aggregation>(known.kind()), key.c_str(), value);
    if (bare) known = bare;
  }
  return known;
}

/// The point that was published: `point` with the workers, the batch and the aggregation of `row`.
ExperimentPoint base_of(const ExperimentPoint& point, const CostRow& row) {
  ExperimentPoint one = point;
  one.experiment.workers = row.workers;
  if (row.batch > 0) one.experiment.batch = row.batch;
  one.beside.clear();
  one.experiment.repeats = 1;
  one.experiment.stragglers = {};
  one.experiment.draws = Draws::exact;
  one.experiment.validation.reset();  // published rows are of training alone
  one.experiment.checkpoint.reset();
  if (row.shipped) {  // that row's items are in memory, and all of one shape
    one.experiment.input = Choice<InputSource>("synthetic");
    one.experiment.lengths.reset();
  }
  one.experiment.aggregation = aggregation_of(row, point.experiment.aggregation);
  one.experiment.update = update_of(row, *one.experiment.aggregation);
  return one;
}

}  // namespace

Prediction matched_to_published(const Prediction& given) {
  Prediction prediction = given;
  for (Prediction& other : prediction.beside) other = matched_to_published(other);
  if (!prediction.to_match) return prediction;
  const CostRow row = *std::exchange(prediction.to_match, std::nullopt);
  const ExperimentPoint point = base_of(*prediction.point, row);
  Prediction one = make_prediction(point, nullptr);
  one.by_events = given.by_events;
  const double each = row.batch > 0 ? row.published / row.workers : row.throughput;
  const double mini_batches = one.plan.rule.steps();
  const double target = mini_batches * one.counting.items_per_gradient / each;
  Seconds slowest;
  for (int worker = 0; worker < row.workers; ++worker)
    slowest = std::max(slowest, one.costs.arithmetic(worker));
  const double arithmetic = mini_batches * slowest.value();
  // the time outside arithmetic hardly changes with the factor, so a few corrections suffice
  double factor = 1;
  for (int round = 0; round < 4; ++round) {
    Recorder recorder(one.counting);
    simulate_once(one, 0, recorder);
    const double simulated = *recorder.result().iteration_mean;
    const double next = std::max(0.05, factor + (target - simulated) / arithmetic);
    one.costs.scale_arithmetic(next / factor);
    factor = next;
  }
  prediction.costs.scale_arithmetic(factor);
  return prediction;
}

namespace {

/// The length of a job's window where it has the machine to itself.
Seconds window_alone(const Prediction& job) {
  Prediction alone = job;
  alone.beside.clear();
  alone.spans = nullptr;
  Recorder recorder(alone.counting);
  simulate_once(alone, 0, recorder);
  return *recorder.window_end() - *recorder.window_begin();
}

/// Lengthens the window of a job to that of the slowest job beside it, so that it meets every part
/// of the other's mini-batches.
void lengthen_window(Prediction& job) {
  if (job.beside.empty()) return;
  constexpr double kMost = 1000;
  const Seconds own = window_alone(job);
  double factor = 1;
  for (const Prediction& other : job.beside) {
    if (own > Seconds{}) factor = std::max(factor, window_alone(other) / own);
  }
  Counting& counting = job.counting;
  const std::int64_t window =
      (counting.gradients - counting.warmup_gradients) / counting.gradients_per_update;
  const auto more = static_cast<std::int64_t>(
      std::ceil(static_cast<double>(window) * (std::min(factor, kMost) - 1)));
  job.plan.updates += more;
  job.plan.gradients += more * job.plan.rule.gradients;
  counting.gradients += more * counting.gradients_per_update;
}

}  // namespace

Measurement simulate(const Prediction& given, bool keep_steps) {
  Prediction prediction = matched_to_published(given);
  lengthen_window(prediction);
  prediction.counting.in_order = true;
  std::optional<Trainer> trainer;
  if (prediction.point->experiment.train) {
    trainer.emplace(prediction, 1);
    prediction.counting.loss_bound = trainer->loss_bound();
  }
  std::string simulated = "events";
  Measurement measurement = measure_repeats(
      prediction, keep_steps, [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
        if (trainer) return simulate_training(prediction, *trainer, repeat, recorder, status);
        simulated = simulate_once(prediction, repeat, recorder);
        return std::vector<CurvePoint>();
      });
  measurement.simulated = simulated;
  return measurement;
}

}  // namespace paceline
