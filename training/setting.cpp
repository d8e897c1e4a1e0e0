// SPDX-License-Identifier: MIT
#include "training/setting.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "models/memory.hpp"
#include "training/cost/layer_cost.hpp"
#include "training/theory/closed_form.hpp"

namespace paceline {
namespace {

// Parameters travel, and servers update, in fp32 on every precision: masters are fp32.
constexpr double kBytesPerParameter = 4;
// Memory traffic of arithmetic over parameters, in passes: an update reads weights and gradient and
// writes weights; a sum reads two gradients and writes one.
constexpr double kPasses = 3;

void place_roles(Setting& setting) {
  const Machine& machine = *setting.machine;
  const Aggregation& aggregation = *setting.point->experiment.aggregation;
  const Plan& plan = setting.plan;
  for (int worker = 0; worker < plan.workers; ++worker) {
    setting.places.push_back(machine.gpu_vertex(worker));
  }
  for (int shard = 0; shard < plan.shards; ++shard) {
    switch (aggregation.placement()) {
      case Placement::cpu:
        setting.places.push_back(machine.host_vertex(shard % std::max(1, machine.host().sockets)));
        break;
      case Placement::gpu:
        setting.places.push_back(machine.gpu_vertex(0));
        break;
      case Placement::sharded_gpus:
        setting.places.push_back(machine.gpu_vertex(shard));
        break;
    }
  }
}

/// One worker's published throughput sets the cost of its arithmetic.
void scale_to_published(std::vector<LayerTime>& times, const ExperimentPoint& point) {
  if (!point.base_throughput) return;
  scale_to(times, Seconds{point.experiment.batch / *point.base_throughput});
}

void cost_on_gpus(Setting& setting) {
  const ExperimentPoint& point = *setting.point;
  const Machine& machine = *setting.machine;
  const Software& software = *point.software;
  Costs& costs = setting.costs;
  const GpuSpec& gpu = machine.gpu(0);
  std::vector<LayerTime> times =
      layer_times(*point.network, point.experiment.batch, point.experiment.precision, gpu, nullptr);
  scale_to_published(times, point);
  for (const LayerTime& time : times) {
    costs.forward.push_back(time.forward);
    costs.backward.push_back(time.backward);
  }
  if (machine.kind() == Machine::Kind::ideal) return;
  const double gpu_passes = kPasses / gpu.memory_bandwidth.value();
  const BytesPerSecond memory = software.server_bandwidth > BytesPerSecond{}
                                    ? software.server_bandwidth
                                    : machine.host().memory_bandwidth;
  const bool on_cpu = point.experiment.aggregation->placement() == Placement::cpu;
  costs.worker_update = costs.worker_reduce = gpu_passes;
  costs.server_update = costs.server_reduce = on_cpu ? kPasses / memory.value() : gpu_passes;
  costs.decision = software.decision_latency > Seconds{} ? software.decision_latency
                                                         : machine.host().decision_latency;
  costs.dispatch = software.dispatch;
  costs.collective = software.collective;
  costs.variation = software.step_variation.fraction;
  costs.one_copy_engine = gpu.copy_engines == 1;
}

void cost_on_this_computer(Setting& setting, const HostProfile& profile) {
  const ExperimentPoint& point = *setting.point;
  Costs& costs = setting.costs;
  const NetworkProfile* measured =
      profile.find(*point.network, point.experiment.batch, point.experiment.optimizer.kind());
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
  } else {
    costs.forward = measured->forward;
    costs.backward = measured->backward;
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
  costs.operation_start = host.copy_latency;
  costs.decision = host.decision_latency;
  costs.timer_error = host.timer_error;
  costs.cores = host.cores;
  setting.machine = std::make_shared<const Machine>(this_machine(host));
}

void count_updates(Setting& setting) {
  const Experiment& experiment = setting.point->experiment;
  const bool independent = experiment.aggregation.kind() == "independent";
  Counting& counting = setting.counting;
  Plan& plan = setting.plan;
  // a round is one mini-batch a worker on average: P/K updates
  const auto updates = [&](std::int64_t rounds) {
    return (rounds * plan.workers + plan.rule.gradients - 1) / plan.rule.gradients;
  };
  counting.workers = plan.workers;
  counting.replicas = experiment.aggregation->replicas();
  counting.independent = independent;
  counting.gradients_per_update = plan.rule.gradients;
  counting.items_per_gradient = experiment.batch;
  if (independent) plan.rule.gradients = plan.workers;
  counting.warmup_updates = updates(experiment.warmup.rounds);
  counting.updates = counting.warmup_updates + updates(experiment.steps.rounds);
  plan.updates = counting.updates;
}

}  // namespace

Bytes memory_of(const ExperimentPoint& point) {
  MemoryAssumptions assumptions;
  assumptions.element = element_size(point.experiment.precision);
  assumptions.optimizer_copies = point.experiment.optimizer.kind() == "sgd" ? 0 : 1;
  return memory_needed(*point.network, point.experiment.batch, assumptions).total();
}

Setting make_setting(const ExperimentPoint& point, const HostProfile* profile) {
  Setting setting;
  setting.point = &point;
  const Experiment& experiment = point.experiment;
  const Aggregation& aggregation = *experiment.aggregation;
  Plan& plan = setting.plan;
  plan.workers = experiment.workers;
  plan.shards = aggregation.shards(plan.workers);
  if (experiment.update) plan.rule = (*experiment.update)->rule(plan.workers);
  plan.overlap = aggregation.overlap();
  plan.replicas = aggregation.replicas();
  plan.cut = cut_network(*point.network, aggregation.overlap(), aggregation.bucket(), plan.shards,
                         kBytesPerParameter);
  setting.costs.seed = experiment.seed;
  for (int worker = 0; worker < plan.workers; ++worker) {
    setting.costs.slowdown.push_back(experiment.stragglers.slowdown(worker));
  }
  if (point.machine) {
    setting.machine = point.machine;
    cost_on_gpus(setting);
  } else if (profile != nullptr) {
    cost_on_this_computer(setting, *profile);
  } else {
    throw std::runtime_error("machine 'this' needs a profile (run paceline calibrate)");
  }
  place_roles(setting);
  count_updates(setting);
  return setting;
}

Plan Setting::plan_of(std::uint32_t repeat, Observer* observer) const {
  Plan made = plan;
  made.observer = observer;
  const Stragglers& stragglers = point->experiment.stragglers;
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

Measurement measure_repeats(
    const Setting& setting, bool keep_steps,
    const std::function<std::optional<double>(std::uint32_t, Recorder&)>& run_once) {
  std::vector<Measurement> repeats;
  std::vector<std::vector<double>> iterations;
  Counting counting = setting.counting;
  counting.keep_steps = keep_steps;
  for (int repeat = 0; repeat < setting.point->experiment.repeats; ++repeat) {
    Recorder recorder(counting);
    const std::optional<double> loss = run_once(static_cast<std::uint32_t>(repeat), recorder);
    repeats.push_back(recorder.result());
    repeats.back().loss_final = loss;
    iterations.push_back(recorder.iterations());
  }
  const double gradients = counting.replicas ? counting.workers : counting.gradients_per_update;
  Measurement joined = join_repeats(repeats, iterations, gradients * counting.items_per_gradient);
  joined.memory_bytes_peak = memory_of(*setting.point).value();
  return joined;
}

Measurement theory_of(const Setting& setting) {
  Measurement result;
  const ExperimentPoint& point = *setting.point;
  const Experiment& experiment = point.experiment;
  if (!experiment.update) return result;
  const Seconds compute = setting.costs.forward_total() + setting.costs.backward_total();
  const std::string policy = point.update_name();
  const std::optional<Theory> theory =
      paceline::theory({.policy = policy, .workers = experiment.workers, .k = point.k()}, compute,
                       experiment.stragglers);
  if (!theory) return result;
  if (theory->bound) result.status = "bound";
  result.iteration_mean = theory->iteration.value();
  result.staleness_mean = theory->staleness;
  if (theory->iteration > Seconds{}) {
    result.throughput =
        static_cast<double>(point.k()) * experiment.batch / theory->iteration.value();
  }
  return result;
}

}  // namespace paceline
