// SPDX-License-Identifier: MIT
#include "exec/calibrate/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <thread>

#include "exec/calibrate/busy_time.hpp"
#include "exec/calibrate/in_place.hpp"
#include "exec/calibrate/probe.hpp"
#include "exec/calibrate/timing.hpp"
#include "exec/host/host_machine.hpp"
#include "exec/machine/usable_cores.hpp"
#include "models/sequence_length.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/experiment/setting.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

/// Total copy bandwidth of `threads` threads, each copying its own block. The blocks are larger
/// than any second-level cache.
BytesPerSecond copy_rate(int threads) {
  constexpr std::size_t kBlock = std::size_t{64} << 20;
  std::vector<Seconds> seconds(static_cast<std::size_t>(threads));
  std::vector<std::thread> team;
  team.reserve(seconds.size());
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&seconds, i] {
      std::vector<char> from(kBlock, 1);
      std::vector<char> to(kBlock, 2);
      seconds[static_cast<std::size_t>(i)] = median_time(
          Seconds{0.2}, [] {}, [&] { std::memcpy(to.data(), from.data(), kBlock); });
    });
  }
  for (std::thread& thread : team) thread.join();
  double rate = 0;
  for (const Seconds time : seconds) rate += static_cast<double>(kBlock) / time.value();
  return BytesPerSecond{rate};
}

/// A plan of `workers` workers and one server that exchange a single parameter.
Plan probe_plan(int workers, Observer* observer) {
  Plan plan;
  plan.workers = workers;
  plan.shards = 1;
  plan.cut.buckets.push_back({0, 1, {0, 1, 4}});
  plan.cut.shards.push_back({0, 1, 4});
  plan.observer = observer;
  return plan;
}

ProbeResult probe_queues() {
  ProbeObserver observer;
  const Plan plan = probe_plan(1, &observer);
  const Choice<Optimizer> optimizer{"sgd"};
  std::vector<std::unique_ptr<WorkerArithmetic>> none;
  Learning learning(plan.workers, probe_buffers(plan), {optimizer.part().get(), 1, 1, 1, {}},
                    {0.0F}, 0, none);
  WallTime time;
  ProbeResult result;
  HostMachine machine(plan, learning, time);
  machine.start_role(0, probe_role(machine, observer, Seconds{2e-3}, 300, result));
  machine.start_role(1, idle_role());
  machine.run();
  return result;
}

/// Sets the CPU time per operation of a saturated machine: on the thread that runs the roles
/// (`operation_handling`) and on all threads together (`operation_work`).
void probe_crowd(HostFigures& figures) {
  constexpr int kWorkers = 8;
  constexpr int kRounds = 500;
  constexpr int kOperations = 3;  // per worker and round
  const Plan plan = probe_plan(kWorkers, nullptr);
  const Choice<Optimizer> optimizer{"sgd"};
  std::vector<std::unique_ptr<WorkerArithmetic>> none;
  Learning learning(plan.workers, probe_buffers(plan), {optimizer.part().get(), 1, 1, 1, {}},
                    {0.0F}, 0, none);
  WallTime time;
  HostMachine machine(plan, learning, time);
  for (RoleId worker = 0; worker < kWorkers; ++worker) {
    machine.start_role(worker, crowd_role(machine, worker, plan.server(0), kRounds));
  }
  machine.start_role(plan.server(0), idle_role());
  const Seconds all = busy_time();
  const Seconds mine = busy_time_of_thread();
  machine.run();
  constexpr double kAll = kWorkers * kRounds * kOperations;
  figures.operation_handling = (busy_time_of_thread() - mine) / kAll;
  figures.operation_work = (busy_time() - all) / kAll;
}

/// Evicts the network from the second-level cache before a timed step, like the steps of other
/// workers.
class OtherWork {
 public:
  OtherWork() : block_(std::size_t{1} << 20) {}
  void operator()() {
    for (std::size_t i = 0; i < block_.size(); i += 16) block_[i] += 1;
  }

 private:
  std::vector<float> block_;  ///< 4 MiB: twice the second-level cache of a large core
};

/// The median times of each layer, of as many mini-batches as `budget` holds.
LengthTimes time_layers(WorkerArithmetic& arithmetic, const std::vector<float>& weights,
                        std::vector<float>& gradient, Seconds budget) {
  const std::int32_t layers = arithmetic.layers();
  std::vector<std::vector<double>> forward(static_cast<std::size_t>(layers));
  std::vector<std::vector<double>> backward(forward.size());
  const auto go_on = [] { return false; };
  OtherWork others;
  const Stopwatch all;
  for (std::int64_t step = 0; step < 5 || (all.elapsed() < budget && step < 500); ++step) {
    others();
    const auto timed = [&](Pass pass, std::int32_t layer) {
      const Stopwatch one;
      arithmetic.compute({pass, layer, layer + 1}, {0, step}, weights, gradient, go_on);
      auto& times = pass == Pass::forward ? forward : backward;
      if (step > 0) times[static_cast<std::size_t>(layer)].push_back(one.elapsed().value());
    };
    for (std::int32_t layer = 0; layer < layers; ++layer) timed(Pass::forward, layer);
    for (std::int32_t layer = layers; layer-- > 0;) timed(Pass::backward, layer);
  }
  LengthTimes result;
  for (const auto& times : forward) result.forward.emplace_back(quantile_of(times, 0.5));
  for (const auto& times : backward) result.backward.emplace_back(quantile_of(times, 0.5));
  return result;
}

/// The times of the layers at a few lengths, ascending up to `own`, those at the network's length.
std::vector<LengthTimes> time_lengths(const ExperimentPoint& point, const Dataset& dataset,
                                      const LengthTimes& own) {
  constexpr std::array<double, 5> kShares{0, 0.125, 0.25, 0.5, 0.75};  // of the network's length
  const Network& network = *point.network;
  const int whole = network.input.height;
  const std::vector<float> weights = initial_weights(network, point.experiment.seed);
  std::vector<float> gradient(weights.size());
  std::vector<LengthTimes> all;
  for (const double share : kShares) {
    const int length = std::max(least_length(network), static_cast<int>(share * whole));
    if (length >= whole || (!all.empty() && length <= all.back().length)) continue;
    const Network shorter = at_length(network, length);
    WorkerArithmetic arithmetic(shorter, point.experiment.batch, dataset, point.experiment.seed);
    all.push_back(time_layers(arithmetic, weights, gradient, Seconds{0.4}));
    all.back().length = length;
  }
  all.push_back(own);
  all.back().length = whole;
  return all;
}

}  // namespace

HostFigures measure_host() {
  HostFigures figures;
  figures.cpu_model = cpu_model();
  figures.cores = usable_cores();
  figures.copy_bandwidth = copy_rate(1);
  figures.memory_bandwidth = std::max(figures.copy_bandwidth, copy_rate(figures.cores));
  const ProbeResult probe = probe_queues();
  const auto length = [](const std::vector<double>& values) {
    return Seconds{std::max(0.0, quantile_of(values, 0.5))};
  };
  figures.copy_latency = length(probe.start);
  figures.decision_latency = length(probe.decision);
  figures.timer_error = length(probe.late);
  probe_crowd(figures);
  return figures;
}

NetworkProfile measure_network(const ExperimentPoint& point, const HostFigures& host) {
  const Network& network = *point.network;
  const Experiment& experiment = point.experiment;
  const Choice<Dataset> dataset = dataset_of(experiment, network);
  WorkerArithmetic arithmetic(network, experiment.batch, *dataset, experiment.seed);
  NetworkProfile profile;
  profile.network = network.name;
  profile.parameters = network.parameters();
  profile.batch = experiment.batch;
  profile.optimizer = experiment.optimizer.kind();
  profile.dataset = dataset.kind();

  const std::vector<float> weights = initial_weights(network, experiment.seed);
  std::vector<float> gradient(weights.size());
  OtherWork others;
  const LengthTimes own = time_layers(arithmetic, weights, gradient, Seconds{0.8});
  profile.forward = own.forward;
  profile.backward = own.backward;

  std::vector<float> other(weights.size());
  OptimizerState state = experiment.optimizer->start(weights.size());
  profile.update = median_time(Seconds{0.1}, others, [&] {
    experiment.optimizer->update(weights, other, gradient, 1.0F,
                                 experiment.optimizer->learning_rate, state);
  });
  profile.reduce = median_time(Seconds{0.1}, others, [&] { accumulate(other, gradient, 1.0F); });
  profile.copy = median_time(Seconds{0.1}, others, [&] {
    std::memcpy(other.data(), weights.data(), weights.size() * sizeof(float));
  });
  ExperimentPoint even = point;
  even.experiment.lengths.reset();
  measure_in_place(even, host.timer_error, profile);
  if (experiment.lengths) profile.by_length = time_lengths(point, *dataset, own);
  return profile;
}

}  // namespace paceline
