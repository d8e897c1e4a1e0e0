// SPDX-License-Identifier: MIT
#include "exec/calibrate/in_place.hpp"

#include <algorithm>
#include <array>

#include "exec/calibrate/busy_time.hpp"
#include "exec/host/execute.hpp"
#include "exec/host/host_machine.hpp"
#include "exec/host/usable_cores.hpp"
#include "training/learning/trainer.hpp"
#include "training/setting.hpp"

namespace paceline {
namespace {

// What is compared is run by turns, so that a slow moment of the computer slows all alike; of the
// runs of a kind, the middle one counts.
constexpr int kRounds = 5;
constexpr Seconds kRun{0.25};
// Workers sleep for so long before each mini-batch, to see what a cold core costs: about as long as
// the scheduler, the caches and a hypervisor take to forget a thread. What is lost is some 0.5 ms,
// which a longer mini-batch than kShort does not show.
constexpr std::array<Seconds, 3> kSleeps{Seconds{1e-3}, Seconds{3e-3}, Seconds{10e-3}};
constexpr Seconds kShort{20e-3};
constexpr Seconds kRunWithSleeps{0.1};
// A run shorter than this is all beginning and end; a longer one is long enough.
constexpr std::int64_t kFewestSteps = 8;
constexpr std::int64_t kMostSteps = 2000;

/// `point` on so many workers, without stragglers and whatever else is not arithmetic.
ExperimentPoint plain(const ExperimentPoint& point, int workers, const char* aggregation,
                      std::int64_t steps) {
  ExperimentPoint made = point;
  Experiment& experiment = made.experiment;
  experiment.workers = workers;
  experiment.aggregation = Choice<Aggregation>{aggregation};
  experiment.update.reset();
  experiment.stragglers = {};
  experiment.train.reset();
  experiment.steps = {steps, 0};
  experiment.warmup = {std::min<std::int64_t>(kFewestSteps, steps), 0};
  experiment.repeats = 1;
  return made;
}

std::int64_t steps_in(Seconds budget, Seconds step) {
  const double count = budget.value() / std::max(step.value(), 1e-9);
  return std::clamp(static_cast<std::int64_t>(count), kFewestSteps, kMostSteps);
}

/// One worker and its server, whose operations take turns.
struct Turns {
  Seconds forward, backward;  ///< of a mini-batch
  Seconds update;             ///< of all parameters, at the server
  Seconds copy;               ///< of all parameters, from the worker to the server or back
  Seconds start;              ///< from the end of what an operation waits for to its own begin
  Seconds decision;           ///< likewise with a role's decision between, less `start`
  Seconds passing_on;         ///< of that start, what cores are busy with: threads wake each other
};

/// Sorts the operations of one worker (role 0) and its server by what they are, and notes the gaps
/// between one and the next.
class TurnWatch final : public Observer {
 public:
  void begun(RoleId, std::int64_t, Instant) override {}
  void span(WorkId, Activity, Instant, Instant) override {}
  void gradient_computed(WorkId, Instant, double) override {}
  void accepted(RoleId, std::int64_t, std::int64_t, std::int64_t) override {}
  void cancelled(RoleId, std::int64_t, std::int64_t, Instant) override {}
  void updated(RoleId, std::int64_t, Instant) override {}
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    const double length = (end - begin).value();
    const double gap = (begin - last_end_).value();
    const bool at_worker = stream.role == 0;
    worked_ += length;
    switch (command.kind) {
      case Command::Kind::compute:
        if (command.layers.pass == Pass::forward && last_was_copy_) start_.push_back(gap);
        (command.layers.pass == Pass::forward ? forward_ : backward_).push_back(length);
        break;
      case Command::Kind::copy:
        (stream.kind == StreamKind::push ? start_ : decision_).push_back(gap);
        copy_.push_back(length);
        break;
      case Command::Kind::update:
        if (at_worker) break;
        if (last_was_copy_) decision_.push_back(gap);
        update_.push_back(length);
        break;
      default:
        break;
    }
    last_was_copy_ = command.kind == Command::Kind::copy;
    last_end_ = end;
  }

  /// \param busy seconds that cores were busy in all
  Turns result(Seconds busy) const {
    Turns found;
    found.forward = mean(forward_);
    found.backward = mean(backward_);
    found.update = mean(update_);
    found.copy = mean(copy_);
    found.start = mean(start_);
    found.decision = std::max(Seconds{}, mean(decision_) - found.start);
    const double passes = static_cast<double>(start_.size() + decision_.size());
    if (passes > 0) found.passing_on = std::max(Seconds{}, (busy - Seconds{worked_}) / passes);
    found.passing_on = std::min(found.passing_on, found.start);
    return found;
  }

 private:
  /// Of the middle nine tenths: what counts is the whole run, but not its beginning and hiccups.
  static Seconds mean(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const std::size_t out = values.size() / 20;
    double sum = 0;
    for (std::size_t i = out; i < values.size() - out; ++i) sum += values[i];
    return Seconds{sum / static_cast<double>(values.size() - 2 * out)};
  }

  std::vector<double> forward_, backward_, update_, copy_, start_, decision_;
  double worked_ = 0;  ///< seconds of all operations
  Instant last_end_;
  bool last_was_copy_ = false;
};

/// Trains on one worker through a parameter server.
Turns watch_server(const ExperimentPoint& point, Seconds step) {
  ExperimentPoint one = plain(point, 1, "parameter-server", steps_in(kRun, step));
  one.experiment.update = Choice<UpdatePolicy>{"sync"};
  Setting setting = make_setting_without_costs(one);
  Plan& shape = setting.plan;
  const Network& network = *one.network;
  // one bucket, so that one operation follows another
  shape.overlap = false;
  shape.cut = cut_network(network, false, Bytes{}, 1,
                          shape.whole().bytes / static_cast<double>(network.parameters()));
  Trainer trainer(setting, 1);
  TurnWatch watch;
  const Plan plan = setting.plan_of(0, &watch);
  Learning learning = trainer.start(plan, 0);
  WallTime time;
  HostMachine machine(plan, learning, time);
  for (RoleId role = 0; role < plan.roles(); ++role) {
    machine.start_role(role, one.experiment.aggregation->program(plan, machine, role));
  }
  const Seconds before = busy_time();
  machine.run();
  return watch.result(busy_time() - before);
}

/// Seconds that a mini-batch takes each of `workers` workers that exchange nothing, all training at
/// the same time.
double time_apart(const ExperimentPoint& point, int workers, Seconds step) {
  const ExperimentPoint apart = plain(point, workers, "independent", steps_in(kRun, step));
  return execute_on_host(make_setting_without_costs(apart)).step_mean.value_or(0);
}

/// Seconds that a mini-batch takes one worker with a server, if the worker sleeps `sleep` before
/// each.
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
  return execute_on_host(make_setting_without_costs(one)).step_mean.value_or(0);
}

/// The middle one of what `part` finds in each.
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
    Turns turns;                    ///< on cores that sleep meanwhile
    std::array<double, 4> apart{};  ///< by crowd
    double awake = 0;               ///< seconds of a mini-batch that follows another at once
    std::array<double, kSleeps.size()> slept{};  ///< likewise, after a sleep
  };
  std::vector<Round> rounds(kRounds);
  for (Round& round : rounds) {
    round.turns = watch_server(point, step);
    for (std::size_t i = 0; i < crowds.size(); ++i) {
      const double turns = std::max(1, crowds[i] / cores);
      round.apart[i] = time_apart(point, crowds[i], step * turns);
    }
    if (step > kShort) continue;
    round.awake = time_after_sleep(point, Seconds{}, step);
    for (std::size_t i = 0; i < kSleeps.size(); ++i) {
      round.slept[i] = time_after_sleep(point, kSleeps[i], step);
    }
  }
  const auto length = [&](Seconds Turns::*part) {
    return Seconds{middle(rounds, [&](const Round& round) { return (round.turns.*part).value(); })};
  };
  scale(times.forward, length(&Turns::forward) / times.forward_total());
  scale(times.backward, length(&Turns::backward) / times.backward_total());
  times.copy = length(&Turns::copy);
  times.server_update = length(&Turns::update);
  times.start = length(&Turns::start);
  times.decision = length(&Turns::decision);
  times.passing_on = length(&Turns::passing_on);
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
