// SPDX-License-Identifier: MIT
#include "sim/simulate.hpp"

#include <algorithm>

#include "sim/devices/simulated_machine.hpp"

namespace paceline {

namespace {

/// Runs the roles of a repeat on the simulated clock.
void run_roles(const Setting& setting, const Plan& plan, std::uint32_t repeat, Learning* learning) {
  const Costs costs = setting.costs_of(repeat);
  SimulatedMachine clock(*setting.machine, costs, setting.places, plan.workers, plan.observer,
                         learning);
  const Aggregation& aggregation = *setting.point->experiment.aggregation;
  for (RoleId role = 0; role < plan.roles(); ++role) {
    clock.start_role(role, aggregation.program(plan, clock, role));
  }
  clock.run();
}

}  // namespace

void simulate_once(const Setting& setting, std::uint32_t repeat, Recorder& recorder) {
  const Plan plan = setting.plan_of(repeat, &recorder);
  run_roles(setting, plan, repeat, nullptr);
}

std::vector<CurvePoint> simulate_training(const Setting& setting, Trainer& trainer,
                                          std::uint32_t repeat, Recorder& recorder,
                                          std::string& status) {
  const Plan plan = setting.plan_of(repeat, &recorder);
  Learning learning = trainer.start(plan, repeat);
  return trainer.watch(learning.buffers(), repeat, recorder, status,
                       [&] { run_roles(setting, plan, repeat, &learning); });
}

namespace {

/// The one-worker point of a setting whose other points are known by their one-worker row.
ExperimentPoint one_worker_of(const ExperimentPoint& point) {
  ExperimentPoint one = point;
  one.experiment.workers = 1;
  one.experiment.repeats = 1;
  one.experiment.stragglers = {};
  const std::string& aggregation = point.one_worker->aggregation;
  if (aggregation != point.experiment.aggregation.kind()) {
    // the row's step holds another update, none, or one that is unknown here: one worker's
    // all-reduce exchanges nothing
    const Choice<Aggregation> known(aggregation);
    one.experiment.aggregation = known ? known : Choice<Aggregation>("allreduce");
  }
  // an update of one mini-batch, whatever the point's update takes of its workers
  one.experiment.update.reset();
  if (!updates_served(one.experiment.aggregation.kind()).empty()) {
    one.experiment.update = Choice<UpdatePolicy>("sync");
  }
  return one;
}

void scale_arithmetic(Costs& costs, double factor) {
  for (Seconds& time : costs.forward) time = time * factor;
  for (Seconds& time : costs.backward) time = time * factor;
}

}  // namespace

Setting matched_to_published(const Setting& given) {
  Setting setting = given;
  if (setting.layer_times.source != LayerTimes::Source::published) return setting;
  const ExperimentPoint point = one_worker_of(*setting.point);
  Setting one = make_setting(point, nullptr);
  const double wanted = point.experiment.batch / point.one_worker->throughput;
  const double arithmetic = one.costs.arithmetic(0).value();
  // what is not arithmetic hardly changes with it, so a few corrections suffice
  double factor = 1;
  for (int round = 0; round < 4; ++round) {
    Recorder recorder(one.counting);
    simulate_once(one, 0, recorder);
    const double taken = *recorder.result().iteration_mean;
    const double next = std::max(0.05, factor + (wanted - taken) / arithmetic);
    scale_arithmetic(one.costs, next / factor);
    factor = next;
  }
  scale_arithmetic(setting.costs, factor);
  return setting;
}

Measurement simulate(const Setting& point_setting, bool keep_steps) {
  Setting setting = matched_to_published(point_setting);
  std::optional<Trainer> trainer;
  if (setting.point->experiment.train) {
    trainer.emplace(setting, 1);
    setting.counting.loss_bound = trainer->loss_bound();
  }
  return measure_repeats(setting, keep_steps,
                         [&](std::uint32_t repeat, Recorder& recorder, std::string& status) {
                           if (trainer)
                             return simulate_training(setting, *trainer, repeat, recorder, status);
                           simulate_once(setting, repeat, recorder);
                           return std::vector<CurvePoint>();
                         });
}

}  // namespace paceline
