// SPDX-License-Identifier: MIT
#include "training/setting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "models/memory.hpp"
#include "training/cost/card_division.hpp"
#include "training/cost/layer_cost.hpp"
#include "training/cost/measured_sharing.hpp"
#include "training/gpu_layer_times.hpp"
#include "training/profile/measured_machine.hpp"
#include "training/roles/observers.hpp"

namespace paceline {
namespace {

// Parameters travel, and servers update, in fp32 on every precision: masters are fp32.
constexpr double kBytesPerParameter = 4;
// Memory traffic of arithmetic over parameters, in passes: an update reads weights and gradient and
// writes weights; a sum reads two gradients and writes one.
constexpr double kPasses = 3;
// An optimizer's state is read and written besides, once a copy that it keeps of the parameters.
double update_passes(const Optimizer& optimizer) {
  return kPasses + 2.0 * optimizer.copies();
}
// Arithmetic on the host gives way to what passes things on, at a niceness of 10: the weights of
// the two are 1024 and 110 (Linux, sched_prio_to_weight).
constexpr double kPrecedence = 1024.0 / 110.0;

/// Of a server's memory for each operation that adds a gradient to an update's sum. All at once
/// they read K gradients and write one sum: K + 1 passes over the update's operations, one fewer
/// than K where the first gradient takes the others up. Where K is 1 there is nothing to add, but
/// adasync's K grows.
double sum_passes(const Software& software, const Plan& plan) {
  if (!software.sums_at_once) return kPasses;
  const int gradients = std::max(2, plan.rule.gradients);
  return (gradients + 1.0) / (plan.sums_apart() ? gradients : gradients - 1);
}

void place_roles(Setting& setting) {
  const Machine& machine = *setting.machine;
  const Aggregation& aggregation = *setting.point->experiment.aggregation;
  const Plan& plan = setting.plan;
  const auto vertex_of = [&](int gpu) {
    return machine.gpu_vertex(gpu_of(setting.point->experiment, gpu));
  };
  for (int worker = 0; worker < plan.workers; ++worker) {
    setting.places.push_back(vertex_of(worker));
  }
  for (int shard = 0; shard < plan.shards; ++shard) {
    switch (aggregation.placement()) {
      case Placement::cpu:
        setting.places.push_back(machine.host_vertex(shard % std::max(1, machine.host().sockets)));
        break;
      case Placement::gpu:
        setting.places.push_back(vertex_of(0));
        break;
      case Placement::sharded_gpus:
        setting.places.push_back(vertex_of(shard));
        break;
      case Placement::hosts:
        setting.places.push_back(machine.host_vertex(0));
        break;
    }
  }
}

/// What was measured of a worker's arithmetic, in place of what was computed.
void cost_as_measured(Costs& costs, const ExperimentPoint& point, const NetworkProfile& measured) {
  const auto bytes = static_cast<double>(point.network->parameters()) * kBytesPerParameter;
  if (bytes <= 0) return;
  costs.worker_update = costs.server_update = measured.update.value() / bytes;
  costs.worker_reduce = costs.server_reduce = measured.reduce.value() / bytes;
  if (point.experiment.aggregation->placement() != Placement::cpu) return;
  costs.server_update = measured.cpu_update.value_or(measured.update).value() / bytes;
  costs.server_reduce = measured.cpu_reduce.value_or(measured.reduce).value() / bytes;
}

/// What operations on a GPU of this computer cost beside the work itself.
void cost_of_operations(Costs& costs, const GpuProfile& gpu) {
  costs.operation_start = gpu.operation_latency;
  costs.decision = gpu.decision_latency;
  costs.handling = gpu.operation_handling;
  costs.timer_error = gpu.timer_error;
  costs.card_copy_bandwidth = gpu.copy_bandwidth;
}

/// `profile`: of the computer that the machine is; null where it is another.
void cost_on_gpus(Setting& setting, const Profile* profile) {
  const ExperimentPoint& point = *setting.point;
  const Machine& machine = *setting.machine;
  const Software& software = *point.software;
  Costs& costs = setting.costs;
  const auto& devices = point.experiment.devices;
  const int card = devices ? devices->gpu : 0;
  if (devices) costs.shared_card = machine.gpu_vertex(card);
  const NetworkProfile* measured = profile == nullptr ? nullptr : times_on_gpu(point, *profile);
  const CardDivision division = divide_card(point.experiment, machine.gpu(card));
  const GpuSpec& gpu = division.worker;
  costs.groups = division.shares;
  // where the driver could not split the card when it was calibrated, it cannot now
  if (measured != nullptr && measured->sms >= machine.gpu(card).sms) costs.groups.reset();
  for (const LayerTime& time : times_of_layers(setting, gpu, measured, profile)) {
    costs.forward.push_back(time.forward);
    costs.backward.push_back(time.backward);
  }
  if (costs.groups) count_traffic(costs, point.experiment, *point.network);
  if (machine.kind() == Machine::Kind::ideal) return;
  const BytesPerSecond worker_memory =
      costs.groups ? costs.groups->worker_memory : gpu.memory_bandwidth;
  const BytesPerSecond server_memory =
      costs.groups ? costs.groups->server_memory : gpu.memory_bandwidth;
  const BytesPerSecond memory = software.server_bandwidth > BytesPerSecond{}
                                    ? software.server_bandwidth
                                    : machine.host().memory_bandwidth;
  const bool on_cpu = point.experiment.aggregation->placement() == Placement::cpu;
  const double server_traffic = on_cpu ? memory.value() : server_memory.value();
  costs.worker_reduce = kPasses / worker_memory.value();
  const double passes = sum_passes(software, setting.plan);
  costs.server_reduce = passes / server_traffic;
  costs.worker_update = update_passes(*point.experiment.optimizer) / worker_memory.value();
  costs.server_update = update_passes(*point.experiment.optimizer) / server_traffic;
  costs.decision = software.decision_latency > Seconds{} ? software.decision_latency
                                                         : machine.host().decision_latency;
  costs.dispatch = software.dispatch;
  costs.collective = software.collective;
  costs.variation = software.step_variation.fraction;
  costs.one_copy_engine = gpu.copy_engines == 1;
  costs.card_copy_bandwidth = worker_memory / 2;  // a byte is read and written
  if (devices) costs.card_copy_engines = gpu.copy_engines;
  if (measured != nullptr) cost_as_measured(costs, point, *measured);
  if (on_cpu && setting.plan.shards > 1) {
    const double one_server = passes / costs.server_reduce;
    costs.servers_at_once = std::max(1.0, machine.host().memory_bandwidth.value() / one_server);
  }
  const auto here = static_cast<std::size_t>(card);
  if (profile != nullptr && here < profile->gpus.size()) {
    cost_of_operations(costs, profile->gpus[here]);
    costs.dispatch = {};  // of whole ranges of layers at once, and in what an operation costs
  }
  if (measured != nullptr && devices && !costs.groups) take_turns_as_measured(costs, *measured);
  if (measured != nullptr && costs.groups) {
    share_as_measured(costs, *measured);
    const auto bytes = static_cast<double>(point.network->parameters()) * kBytesPerParameter;
    if (measured->copy > Seconds{}) costs.card_copy_bandwidth = Bytes{bytes} / measured->copy;
  }
}

/// Where it was watched how the network trains: what memory, threads and cores cost it then.
void cost_in_place(Costs& costs, const NetworkProfile& measured, double bytes) {
  if (measured.decision) costs.decision = *measured.decision;
  costs.after_sleep = measured.after_sleep;
  if (measured.server_update && bytes > 0) {
    // a sum reads what another thread has written, as an update does
    const double colder = *measured.server_update / measured.update;
    costs.server_update *= colder;
    costs.server_reduce *= std::max(1.0, colder);
  }
  // So many workers, each on a core of its own, and then several to a core.
  const double alone = (measured.forward_total() + measured.backward_total()).value();
  double all_busy = 1;  // speed of a worker while all cores are, of one that is alone
  for (const SharedTimes& shared : measured.shared) {
    const double speed = alone / (shared.forward + shared.backward).value();
    if (shared.workers == costs.cores) {
      all_busy = std::min(1.0, speed);
      costs.cores_together = all_busy * costs.cores;
    }
    if (shared.workers % costs.cores != 0) continue;
    const auto turns = static_cast<std::size_t>(shared.workers / costs.cores);
    const double whole = speed * static_cast<double>(turns) / all_busy;
    // between two counts that were measured, on a line
    const std::size_t known = costs.turns.size();
    const double before = known == 0 ? whole : costs.turns.back();
    for (std::size_t n = known + 1; n <= turns; ++n) {
      const double way = static_cast<double>(n - known) / static_cast<double>(turns - known);
      costs.turns.push_back(std::min(1.0, before + (whole - before) * way));
    }
  }
}

void cost_on_this_computer(Setting& setting, const Profile& profile) {
  const ExperimentPoint& point = *setting.point;
  Costs& costs = setting.costs;
  const NetworkProfile* measured = times_of(point, profile);
  if (measured == nullptr) {
    if (point.network->classes > 0) {
      throw std::runtime_error("no profile of '" + point.network->name + "' at batch " +
                               std::to_string(point.experiment.batch) +
                               " (run paceline calibrate)");
    }
    for (const Layer& layer : point.network->layers) {
      costs.forward.push_back(layer.synthetic_forward);
      costs.backward.push_back(layer.synthetic_backward);
    }
    setting.layer_times = {LayerTimes::Source::given, "given by the experiment"};
  } else {
    costs.forward = measured->forward;
    costs.backward = measured->backward;
    setting.layer_times = {LayerTimes::Source::measured,
                           "measured on this computer (profile of " + profile.measured + ")"};
  }
  const auto bytes = static_cast<double>(point.network->parameters()) * kBytesPerParameter;
  HostFigures host = profile.host;
  if (measured != nullptr && bytes > 0) {
    costs.worker_update = costs.server_update = measured->update.value() / bytes;
    costs.worker_reduce = costs.server_reduce = measured->reduce.value() / bytes;
    // copies of this size, which caches may hold, rather than the machine's large ones
    host.copy_bandwidth = Bytes{bytes} / measured->copy;
    host.memory_bandwidth = std::max(host.memory_bandwidth, host.copy_bandwidth * host.cores);
  } else {
    costs.worker_update = costs.server_update = kPasses / host.memory_bandwidth.value();
    costs.worker_reduce = costs.server_reduce = costs.worker_update;
  }
  costs.busy_operation_start = host.copy_latency;
  if (measured != nullptr && measured->start) {
    costs.busy_passing_on = host.operation_work;
    costs.passing_on = measured->passing_on.value_or(Seconds{});
    host.copy_latency = *measured->start - costs.passing_on;
  }
  costs.operation_start = host.copy_latency;
  costs.decision = host.decision_latency;
  costs.timer_error = host.timer_error;
  costs.handling = host.operation_handling;
  costs.cores = host.cores;
  if (point.experiment.process_count() > 1) {
    costs.processes =
        cost_of_processes(*point.experiment.processes, profile.tcp, setting.plan.processes);
  }
  costs.precedence = kPrecedence;
  if (measured != nullptr) cost_in_place(costs, *measured, bytes);
  setting.machine = std::make_shared<const Machine>(this_machine(host));
}

void count_updates(Setting& setting) {
  const Experiment& experiment = setting.point->experiment;
  Counting& counting = setting.counting;
  Plan& plan = setting.plan;
  counting.workers = plan.workers;
  counting.replicas = experiment.aggregation->replicas();
  counting.independent = experiment.aggregation.kind() == "independent";
  counting.served = plan.shards > 0;
  counting.own_pace = plan.workers > 1 && counting.served && !counting.replicas &&
                      plan.rule.restart == Restart::contributors;
  counting.applies_all = !experiment.stragglers.failures;
  counting.items_per_gradient = experiment.batch;
  counting.changing = plan.rule.adaptation.window > 0;
  // of independent workers, an update is one of each
  const int mini_batches = counting.independent ? plan.workers : plan.rule.mini_batches();
  counting.gradients_per_update = mini_batches;
  if (!counting.independent) counting.steps_per_gradient = mini_batches / plan.rule.gradients;
  // a round is one mini-batch a worker on average: P/K updates
  const auto updates = [&](std::int64_t rounds) {
    return (rounds * plan.workers + mini_batches - 1) / mini_batches;
  };
  const std::int64_t warmup = updates(experiment.warmup.rounds);
  std::int64_t window = updates(experiment.steps.rounds);
  // replicas that push seldom push at the same time: the window holds a push of each at least
  if (plan.rule.exchange.push_every > 0) window = std::max<std::int64_t>(window, plan.workers);
  plan.updates = warmup + window;
  counting.warmup_gradients = warmup * mini_batches;
  counting.gradients = plan.updates * mini_batches;
  plan.gradients = plan.updates * plan.rule.gradients;
}

void plan_training(Setting& setting) {
  const Experiment& experiment = setting.point->experiment;
  if (!experiment.train) return;
  setting.plan.optimal_loss = experiment.train->dataset->optimal_loss();
  setting.counting.keep_versions = true;
}

/// Who takes part, in what.
void plan_roles(Setting& setting, const ExperimentPoint& point) {
  setting.point = &point;
  const Experiment& experiment = point.experiment;
  const Aggregation& aggregation = *experiment.aggregation;
  Plan& plan = setting.plan;
  plan.workers = experiment.workers;
  plan.shards = aggregation.shards(plan.workers, experiment.process_count());
  plan.processes = processes_of_roles(experiment.process_count(), plan.workers, plan.shards,
                                      aggregation.placement() == Placement::hosts);
  plan.rule.gradients = plan.workers;  // where nothing is said: of independent workers
  if (experiment.update) plan.rule = (*experiment.update)->rule(plan.workers);
  plan.overlap = aggregation.overlap();
  plan.replicas = aggregation.replicas();
  plan.weighs_gradients = experiment.optimizer->staleness->weighs_gradients();
  plan.cut = cut_network(*point.network, aggregation.overlap(), aggregation.bucket(), plan.shards,
                         kBytesPerParameter);
  setting.costs.seed = experiment.seed;
  const AllReduce* all_reduce = aggregation.all_reduce();
  plan.lands = all_reduce != nullptr && !all_reduce->native() && plan.workers > 1;
  for (int worker = 0; worker < plan.workers; ++worker) {
    plan.slowdown.push_back(experiment.stragglers.slowdown(worker));
  }
  setting.costs.slowdown = plan.slowdown;
}

}  // namespace

Bytes memory_of(const ExperimentPoint& point) {
  MemoryAssumptions assumptions;
  assumptions.element = element_size(point.experiment.precision);
  assumptions.optimizer_copies = point.experiment.optimizer->copies();
  const AllReduce* all_reduce = point.experiment.aggregation->all_reduce();
  if (all_reduce != nullptr && !all_reduce->native() && point.experiment.workers > 1) {
    assumptions.exchange_copies = 1;  // where parts of others' gradients land
  }
  if (point.experiment.update &&
      (*point.experiment.update)->rule(point.experiment.workers).exchange.push_every > 0) {
    assumptions.exchange_copies = 3;  // two accrue gradients, one takes the weights that come
  }
  return memory_needed(*point.network, point.experiment.batch, assumptions).total();
}

Setting make_setting(const ExperimentPoint& point, const Profile* profile) {
  Setting setting;
  plan_roles(setting, point);
  if (point.machine) {
    setting.machine = point.machine;
    if (point.machine->kind() == Machine::Kind::described && point.machine->gpu_count() == 0) {
      throw std::runtime_error(
          "machine '" + point.machine->name() +
          "' has no GPUs, and its threads have no profile on this computer (run paceline there)");
    }
    cost_on_gpus(setting, profile);
    slow_by_gpu(setting);
  } else if (profile != nullptr) {
    cost_on_this_computer(setting, *profile);
  } else {
    throw std::runtime_error("machine 'this' needs a profile (run paceline calibrate)");
  }
  place_roles(setting);
  count_updates(setting);
  plan_training(setting);
  return setting;
}

Setting make_setting_on_gpus(const ExperimentPoint& point, const Profile& profile) {
  if (point.network->classes > 0 && times_on_gpu(point, profile) == nullptr) {
    throw std::runtime_error("no profile of '" + point.network->name + "' at batch " +
                             std::to_string(point.experiment.batch) +
                             " on this GPU (run paceline calibrate)");
  }
  if (!has_links(profile)) {
    throw std::runtime_error("no profile of this computer's links (run paceline calibrate)");
  }
  Setting setting;
  plan_roles(setting, point);
  setting.machine = std::make_shared<const Machine>(measured_machine(profile));
  cost_on_gpus(setting, &profile);
  place_roles(setting);
  count_updates(setting);
  plan_training(setting);
  return setting;
}

Setting make_setting_without_costs(const ExperimentPoint& point) {
  Setting setting;
  plan_roles(setting, point);
  setting.machine = std::make_shared<const Machine>(ideal(point.experiment.workers));
  setting.places.assign(static_cast<std::size_t>(setting.plan.roles()), 0);
  count_updates(setting);
  plan_training(setting);
  return setting;
}

Plan Setting::plan_of(std::uint32_t repeat, Observer* observer) const {
  Plan made = plan;
  made.observer = observer;
  if (spans != nullptr && repeat == 0) {
    made.observers = std::make_shared<Observers>(std::vector<Observer*>{observer, spans});
    made.observer = made.observers.get();
  }
  const Stragglers& stragglers = point->experiment.stragglers;
  if (const auto& failures = stragglers.failures) {
    made.mortality.restart = failures->restart;
    made.mortality.lifetime = [&failures, repeat, seed = costs.seed](RoleId worker,
                                                                     std::int32_t life) {
      return failures->time_to_failure(seed, repeat, worker, static_cast<std::uint64_t>(life));
    };
  }
  if (!stragglers.compute) return made;
  std::vector<Seconds> arithmetic;
  for (int worker = 0; worker < plan.workers; ++worker)
    arithmetic.push_back(costs.arithmetic(worker));
  made.delay = [&stragglers, arithmetic, repeat, seed = costs.seed](RoleId worker,
                                                                    std::int64_t step) {
    return stragglers.delay(seed, repeat, worker, static_cast<std::uint64_t>(step),
                            arithmetic[static_cast<std::size_t>(worker)]);
  };
  return made;
}

Costs Setting::costs_of(std::uint32_t repeat) const {
  Costs made = costs;
  made.repeat = repeat;
  return made;
}

Target target_of(const Train& train) {
  Target target;
  target.loss = train.target_loss;
  if (train.target_accuracy) target.accuracy = train.target_accuracy->fraction;
  return target;
}

Measurement measure_repeats(const Setting& setting, bool keep_steps, const RunOnce& run_once) {
  std::vector<Measurement> repeats;
  std::vector<Samples> samples;
  Counting counting = setting.counting;
  counting.keep_steps = keep_steps;
  const Experiment& experiment = setting.point->experiment;
  for (int repeat = 0; repeat < experiment.repeats; ++repeat) {
    Recorder recorder(counting);
    std::string status = "ok";
    const bool traced = setting.spans != nullptr && repeat == 0;
    if (traced) setting.spans->follow(recorder);
    std::vector<CurvePoint> curve = run_once(static_cast<std::uint32_t>(repeat), recorder, status);
    if (traced) setting.spans->finish();
    repeats.push_back(recorder.result());
    repeats.back().status = status;
    repeats.back().curve = std::move(curve);
    if (experiment.train) judge_curve(repeats.back(), target_of(*experiment.train));
    samples.push_back(recorder.samples());
  }
  const double gradients = counting.gradients_per_update;
  Measurement joined = join_repeats(repeats, samples, gradients * counting.items_per_gradient);
  if (experiment.train) joined.optimal_loss = setting.plan.optimal_loss;
  joined.memory_bytes_peak = memory_of(*setting.point).value();
  return joined;
}

}  // namespace paceline
