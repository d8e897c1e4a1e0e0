// SPDX-License-Identifier: MIT
#include "exec/calibrate/in_place.hpp"

#include <algorithm>
#include <array>

#include "exec/calibrate/busy_time.hpp"
#include "exec/calibrate/timing.hpp"
#include "exec/host/execute.hpp"
#include "exec/host/host_machine.hpp"
#include "exec/machine/execution_plan.hpp"
#include "exec/machine/usable_cores.hpp"
#include "training/experiment/setting.hpp"
#include "training/experiment/trainer.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

// The kinds of runs are interleaved, so that a slow period of the computer affects all of them; the
// median run of each kind counts.
constexpr int kRounds = 5;
constexpr Seconds kRun{0.25};
// Workers sleep this long before each mini-batch, to measure the cost of a cold core: about the
// time after which the scheduler, the caches and a hypervisor have evicted a thread. The cost is
// some 0.5 ms, which is not visible in a mini-batch longer than kShort.
constexpr std::array<Seconds, 3> kSleeps{Seconds{1e-3}, Seconds{3e-3}, Seconds{10e-3}};
constexpr Seconds kShort{20e-3};
constexpr Seconds kRunWithSleeps{0.1};
// A shorter run is dominated by its start and end; a longer one gains nothing.
constexpr std::int64_t kFewestSteps = 8;
constexpr std::int64_t kMostSteps = 2000;

/// `point` on `workers` workers, without stragglers and everything else that is not arithmetic.
ExperimentPoint plain(const ExperimentPoint& point, int workers, const char* aggregation,
                      std::int64_t steps) {
  ExperimentPoint copy = point;
  Experiment& experiment = copy.experiment;
  experiment.workers = workers;
  experiment.aggregation = Choice<Aggregation>{aggregation};
  experiment.update.reset();
  experiment.stragglers = {};
  experiment.train.reset();
  experiment.input = Choice<InputSource>{"synthetic"};  // a wait for items is no arithmetic
  experiment.validation.reset();
  experiment.checkpoint.reset();
  experiment.steps = {steps, 0};
  experiment.warmup = {std::min<std::int64_t>(kFewestSteps, steps), 0};
  experiment.repeats = 1;
  return copy;
}

std::int64_t steps_in(Seconds budget, Seconds step) {
  const double count = budget.value() / std::max(step.value(), 1e-9);
  return std::clamp(static_cast<std::int64_t>(count), kFewestSteps, kMostSteps);
}

/// Costs of one worker and its server, which alternate.
struct StepCosts {
  Seconds forward, backward;  ///< of a mini-batch
  Seconds update;             ///< of all parameters, at the server
  Seconds copy;               ///< of all parameters, from the worker to the server or back
  Seconds start;              ///< from the completion of an operation's dependency to its start
  Seconds decision;           ///< additional delay if a role's decision lies between the two
  Seconds passing_on;  ///< the part of `start` in which cores are busy: threads wake each other
};

/// Classifies the operations of one worker (role 0) and its server by kind, and records the gap
/// before each.
class StepObserver final : public Observer {
 public:
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    const double length = (end - begin).value();
    const double gap = (begin - last_end_).value();
    const bool at_worker = stream.role == 0;
    worked_ += length;
    if (const auto* compute = command.as<Command::Compute>()) {
      const bool forward = compute->layers.pass == Pass::forward;
      if (forward && last_was_copy_) start_.push_back(gap);
      (forward ? forward_ : backward_).push_back(length);
    } else if (command.is<Command::Copy>()) {
      (stream.kind == StreamKind::push ? start_ : decision_).push_back(gap);
      copy_.push_back(length);
    } else if (command.is<Command::Update>() && !at_worker) {
      if (last_was_copy_) decision_.push_back(gap);
      update_.push_back(length);
    }
    last_was_copy_ = command.is<Command::Copy>();
    last_end_ = end;
  }

  /// \param busy CPU time of all threads during the run
  StepCosts result(Seconds busy) const {
    StepCosts found;
    found.forward = middle_mean(forward_);
    found.backward = middle_mean(backward_);
    found.update = middle_mean(update_);
    found.copy = middle_mean(copy_);
    found.start = middle_mean(start_);
    found.decision = std::max(Seconds{}, middle_mean(decision_) - found.start);
    const double passes = static_cast<double>(start_.size() + decision_.size());
    if (passes > 0) found.passing_on = std::max(Seconds{}, (busy - Seconds{worked_}) / passes);
    found.passing_on = std::min(found.passing_on, found.start);
    return found;
  }

 private:
  std::vector<double> forward_, backward_, update_, copy_, start_, decision_;
  double worked_ = 0;  ///< total length of all operations, in seconds
  Instant last_end_;
  bool last_was_copy_ = false;
};

/// Trains on one worker through a parameter server and measures its costs.
StepCosts watch_server(const ExperimentPoint& point, Seconds step) {
  ExperimentPoint one = plain(point, 1, "parameter-server", steps_in(kRun, step));
  one.experiment.update = Choice<UpdatePolicy>{"sync"};
  Setting setting = make_setting(one);
  Plan& shape = setting.plan;
  const Network& network = *one.network;
  // one bucket, so that operations run one after another
  shape.overlap = false;
  shape.cut = cut_network(network, Travel{.overlap = false}, 1,
                          shape.whole().bytes / static_cast<double>(network.parameters()));
  Trainer trainer(setting, 1);
  StepObserver observer;
  const Plan plan = plan_of_execution(setting, 0, &observer);
  Learning learning = trainer.start(plan, 0);
  WallTime time;
  HostMachine machine(plan, learning, time);
  start_roles(*one.experiment.aggregation, plan, machine);
  const Seconds before = busy_time();
  machine.run();
  return observer.result(busy_time() - before);
}

/// Mean seconds per mini-batch of `workers` workers that train at the same time and exchange
/// nothing.
double time_apart(const ExperimentPoint& point, int workers, Seconds step) {
  const ExperimentPoint apart = plain(point, workers, "independent", steps_in(kRun, step));
  return execute_on_host(make_setting(apart)).step_mean.value_or(0);
}

/// Mean seconds per mini-batch of one worker with a server, if the worker sleeps `sleep` before
/// each mini-batch.
double time_after_sleep(const ExperimentPoint& point, Seconds sleep, Seconds step) {
  ExperimentPoint one = plain(point, 1, "parameter-server", steps_in(kRunWithSleeps, step + sleep));
  one.experiment.update = Choice<UpdatePolicy>{"sync"};
  if (sleep > Seconds{}) {
    Tree constant = Tree::map();
    constant.set("kind", Tree::scalar("constant"));
    constant.set("value", Value<Seconds>::write(sleep));
    Diagnostics diagnostics;
    Value<Choice<Straggler>>::read(one.experiment.stragglers.compute, constant, diagnostics);
    diagnostics.throw_if_any();
  }
  return execute_on_host(make_setting(one)).step_mean.value_or(0);
}

/// The median of `part` over all rounds.
template <class Each, class Part>
double middle(const std::vector<Each>& all, const Part& part) {
  std::vector<double> values;
  for (const Each& one : all) values.push_back(part(one));
  return quantile_of(values, 0.5);
}

void scale(std::vector<Seconds>& times, double factor) {
  for (Seconds& time : times) time = time * factor;
}

}  // namespace

void measure_in_place(const ExperimentPoint& point, Seconds timer_error, NetworkProfile& times) {
  const int cores = usable_cores();
  const std::array<int, 4> crowds{1, cores, 2 * cores, 4 * cores};
  const Seconds step = times.forward_total() + times.backward_total();
  struct Round {
    StepCosts costs;                             ///< on cores that sleep between operations
    std::array<double, 4> apart{};               ///< by number of workers in `crowds`
    double awake = 0;                            ///< seconds per mini-batch without sleep
    std::array<double, kSleeps.size()> slept{};  ///< seconds per mini-batch after each sleep
  };
  std::vector<Round> rounds(kRounds);
  for (Round& round : rounds) {
    round.costs = watch_server(point, step);
    for (std::size_t i = 0; i < crowds.size(); ++i) {
      const double workers_per_core = std::max(1, crowds[i] / cores);
      round.apart[i] = time_apart(point, crowds[i], step * workers_per_core);
    }
    if (step > kShort) continue;
    round.awake = time_after_sleep(point, Seconds{}, step);
    for (std::size_t i = 0; i < kSleeps.size(); ++i) {
      round.slept[i] = time_after_sleep(point, kSleeps[i], step);
    }
  }
  const auto length = [&](Seconds StepCosts::*part) {
    return Seconds{middle(rounds, [&](const Round& round) { return (round.costs.*part).value(); })};
  };
  scale(times.forward, length(&StepCosts::forward) / times.forward_total());
  scale(times.backward, length(&StepCosts::backward) / times.backward_total());
  times.copy = length(&StepCosts::copy);
  times.server_update = length(&StepCosts::update);
  times.start = length(&StepCosts::start);
  times.decision = length(&StepCosts::decision);
  times.passing_on = length(&StepCosts::passing_on);
  for (std::size_t i = 0; step <= kShort && i < kSleeps.size(); ++i) {
    const Seconds longer{middle(rounds, [&](const Round& round) {
      return round.slept[i] - round.awake - (kSleeps[i] + timer_error).value();
    })};
    times.after_sleep.push_back({kSleeps[i], std::max(Seconds{}, longer)});
  }
  for (std::size_t i = 1; i < crowds.size(); ++i) {
    if (crowds[i] < 2 || (!times.shared.empty() && times.shared.back().workers == crowds[i]))
      continue;
    const double slower =
        middle(rounds, [&](const Round& round) { return round.apart[i] / round.apart[0]; });
    times.shared.push_back(
        {crowds[i], times.forward_total() * slower, times.backward_total() * slower});
  }
}

}  // namespace paceline
