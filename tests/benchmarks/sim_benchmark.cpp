// SPDX-License-Identifier: MIT
// Speed of the simulated clock, through the same Backend that strategies use.
//   async_updates/P      asynchronous SGD, exponential delays, no network, nothing recorded
//   async_updates_events the same by events: every delay is an operation
//   ring_skewed/N        ring all-reduce of 100 MB over N GPUs of one switch, each starting at a
//                        random time of its own; every copy is worked out
//   ring_skewed_events   the same by events: every copy is a flow
//   ring_skewed_folded   the same, and many steps at once
//   ring_disturbed/N     the same beside one copy of another job through the link in the middle,
//                        which is simulated, and with it the copies of one rank
//   ring_disturbed_events  the same by events
//   parameter_server/P   asynchronous SGD with 100 MB pushed and fetched over one link
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <benchmark/benchmark.h>

#include "experiments/language/yaml.hpp"
#include "sim/devices/simulated_machine.hpp"
#include "sim/ideal/ideal_machine.hpp"
#include "sim/lanes/lane_links.hpp"
#include "sim/lanes/lane_machine.hpp"
#include "sim/simulate.hpp"
#include "training/strategies/collectives/all_reduce.hpp"
#include "training/strategies/parameter_server.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

constexpr double kBytes = 100e6;

/// A network of one layer with free arithmetic and a gradient of `bytes`.
Cut one_bucket(double bytes, int shards) {
  const Slice all{0, static_cast<std::int64_t>(bytes / 4), bytes};
  Cut cut;
  cut.buckets.push_back({0, 1, all});
  for (int shard = 0; shard < shards; ++shard) cut.shards.push_back(all);
  return cut;
}

Costs free_costs() {
  Costs costs;
  costs.forward = costs.backward = {Seconds{0}};
  return costs;
}

Plan async_plan(int workers, double bytes, std::int64_t updates, Seconds mean) {
  Plan plan;
  plan.workers = workers;
  plan.shards = 1;
  plan.rule.current_only = false;
  plan.rule.restart = Restart::contributors;
  plan.cut = one_bucket(bytes, 1);
  plan.updates = plan.gradients = updates;
  plan.delay = [mean](RoleId worker, std::int64_t step) {
    return mean * -std::log(uniform(1, 0, Purpose::straggler, static_cast<std::uint32_t>(worker),
                                    static_cast<std::uint64_t>(step)));
  };
  return plan;
}

template <class Clock>
void start_parameter_server(const Plan& plan, Clock& clock) {
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    clock.start_role(worker, parameter_server_worker(plan, clock, worker));
  }
  clock.start_role(plan.server(0), parameter_server_shard(plan, clock, 0));
}

template <class Clock>
void async_updates(benchmark::State& state) {
  const int workers = static_cast<int>(state.range(0));
  constexpr std::int64_t kUpdates = 1'000'000;
  const Machine machine = ideal(workers);
  const Costs costs = free_costs();
  const Plan plan = async_plan(workers, kBytes, kUpdates, Seconds{0.1});
  const std::vector<int> vertices(static_cast<std::size_t>(plan.roles()), 0);
  double simulated = 0;
  for (auto _ : state) {
    Clock clock(machine, costs, vertices, workers, nullptr);
    start_parameter_server(plan, clock);
    clock.run();
    simulated = to_seconds(clock.now().ps).value();
  }
  state.counters["updates/s"] =
      benchmark::Counter(kUpdates, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["simulated_s"] = simulated;
}
BENCHMARK(async_updates<IdealMachine>)
    ->Name("async_updates")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(async_updates<SimulatedMachine>)
    ->Name("async_updates_events")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);

/// Softmax regression, 50 inputs and 10 classes, batch 32: every gradient is computed for real.
void async_gradients(benchmark::State& state) {
  const std::string text =
      "name: gradients\nmodel: {kind: softmax, inputs: 50, classes: 10}\nmachine: ideal\n"
      "software: ideal\nbatch: 32\nupdate: async\nworkers: " +
      std::to_string(state.range(0)) +
      "\nsteps: 100\nwarmup: 0\ntrain: {evaluate: 2000}\n"
      "optimizer: {kind: sgd, learning_rate: 0.001}\n"
      "stragglers: {compute: {kind: exponential, mean: 1 s}}\n";
  const ExperimentFile file = load_experiment_text("gradients.yaml", text, {});
  double loss = 0;
  for (auto _ : state) {
    loss = *simulate(make_prediction(file.points.front(), nullptr)).loss_final;
  }
  state.counters["updates/s"] = benchmark::Counter(100.0 * static_cast<double>(state.range(0)),
                                                   benchmark::Counter::kIsIterationInvariantRate);
  state.counters["loss"] = loss;
}
BENCHMARK(async_gradients)->Arg(1000)->Unit(benchmark::kMillisecond);

/// GPUs on one switch: 12.5 GB/s and 1 us per link, everything else is free.
Machine star(int gpus) {
  std::string text = "gpus: [{model: p100-sxm2, count: " + std::to_string(gpus) + "}]\n";
  text += "host: {cores: 1, memory_bandwidth: 100 GB/s}\n";
  text += "vertices: [{kind: network-switch, names: [switch]}]\n";
  text +=
      "link_types: {port: {kind: ethernet, bandwidth: 12.5 GB/s, latency: 1 us, source: "
      "benchmark}}\n";
  text += "links: [{type: port, from: switch, to: [cpu0";
  for (int gpu = 0; gpu < gpus; ++gpu) text += ", gpu" + std::to_string(gpu);
  return load_machine(parse_yaml("star", text + "]}]\n"));
}

Task<> skewed_rank(const Plan& plan, Backend& backend, RoleId me) {
  CollectiveCall call;
  call.schedule = plan.schedule.get();
  call.rank = me;
  call.slice = plan.whole();
  const Seconds late = plan.delay(me, 0);
  const Token start = backend.delay({me, StreamKind::push}, late, {});
  const Task<Reduced> exchange = run_schedule(call, backend, start);
  const Reduced reduced = co_await exchange;
  co_await backend.finished(me, reduced.summed);
}

/// Runs the ranks on a clock of events, and returns its end and the copies that were worked out.
std::pair<double, std::int64_t> run_ranks(const Plan& plan, const Machine& machine,
                                          const std::vector<int>& places) {
  const Costs costs = free_costs();
  SimulatedMachine clock(machine, costs, places, plan.workers, nullptr);
  for (RoleId rank = 0; rank < plan.workers; ++rank)
    clock.start_role(rank, skewed_rank(plan, clock, rank));
  clock.run();
  return {to_seconds(clock.now().ps).value(), static_cast<std::int64_t>(clock.flows())};
}

/// The same in lanes, each copy worked out, or with `folds` as few as give all times.
std::pair<double, std::int64_t> run_lanes(const Plan& plan, const Machine& machine,
                                          const std::vector<int>& places, bool folds) {
  const Costs costs = free_costs();
  LaneLinks links(machine, places);
  ScheduleCosts link_costs;
  link_costs.link = [&links](int from, int to) { return links.link(from, to); };
  link_costs.sum.assign(static_cast<std::size_t>(plan.workers), 0);
  link_costs.folds = folds;
  if (!links.suits(*plan.schedule)) throw std::logic_error("ranks share links");
  LaneMachine clock(machine, costs, link_costs, places, plan,
                    static_cast<std::size_t>(plan.workers));
  const Plan all = clock.plan_of_all();
  clock.run(skewed_rank(all, clock, 0));
  return {to_seconds(clock.end_ps()).value(), clock.copies()};
}

enum class By { events, copies, folds };

/// A ring of ranks that start at different times, and their places.
std::pair<Plan, std::vector<int>> skewed_ring(const Machine& machine, int ranks) {
  Plan plan;
  plan.workers = ranks;
  plan.schedule = ring(ranks);
  plan.cut = one_bucket(kBytes, 0);
  plan.delay = [](RoleId worker, std::int64_t) {
    return Seconds{0.1 * uniform(1, 0, Purpose::straggler, static_cast<std::uint32_t>(worker), 0)};
  };
  std::vector<int> places;
  for (RoleId rank = 0; rank < ranks; ++rank) places.push_back(machine.gpu_vertex(rank));
  return {plan, places};
}

template <By by>
void ring_skewed(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const Machine machine = star(ranks);
  const auto [plan, places] = skewed_ring(machine, ranks);
  Seconds latest;
  for (RoleId rank = 0; rank < ranks; ++rank) latest = std::max(latest, plan.delay(rank, 0));
  double simulated = 0;
  std::int64_t flows = 0;
  for (auto _ : state) {
    std::tie(simulated, flows) = by == By::events
                                     ? run_ranks(plan, machine, places)
                                     : run_lanes(plan, machine, places, by == By::folds);
  }
  const double closed_form = 2.0 * (ranks - 1) * (kBytes / ranks / 12.5e9 + 2e-6) + latest.value();
  if (std::fabs(simulated / closed_form - 1) > 1e-6) {
    state.SkipWithError(("simulated " + std::to_string(simulated) + " s, closed form " +
                         std::to_string(closed_form) + " s")
                            .c_str());
  }
  state.counters["flows/s"] =
      benchmark::Counter(static_cast<double>(flows), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["simulated_s"] = simulated;
}
BENCHMARK(ring_skewed<By::events>)
    ->Name("ring_skewed_events")
    ->Arg(64)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ring_skewed<By::copies>)
    ->Name("ring_skewed")
    ->RangeMultiplier(4)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ring_skewed<By::folds>)
    ->Name("ring_skewed_folded")
    ->RangeMultiplier(4)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond);

/// A copy of another job, 125 MB from gpu`from` to gpu`to` after 0.1 s.
Task<> foreign_sender(Backend& backend) {
  const Stream push{0, StreamKind::push};
  const Token begin = backend.delay(push, Seconds{0.1}, {});
  const Command::Copy copy{{0, Buffer::gradient}, {1, Buffer::gradient}, {0, 0, 125e6}};
  co_await backend.finished(0, backend.copy(push, copy, {}, begin));
}

/// The end of the ranks of a plan, beside a copy to the GPU in the middle from one of its own.
double run_disturbed(const Plan& plan, const Machine& machine, const std::vector<int>& places,
                     bool ahead) {
  const Costs costs = free_costs();
  const auto middle = static_cast<std::size_t>(plan.workers / 2);
  SharedMachine shared;
  SimulatedMachine ring(shared, 0, machine, costs, places, plan.workers, nullptr);
  SimulatedMachine foreign(shared, 1, machine, costs,
                           {machine.gpu_vertex(plan.workers), places[middle]}, 2, nullptr);
  LaneLinks links(machine, places);
  if (ahead) {
    if (!links.suits(*plan.schedule)) throw std::logic_error("ranks share links");
    ScheduleCosts link_costs;
    link_costs.link = [&links](int from, int to) { return links.link(from, to); };
    link_costs.sum.assign(places.size(), 0);
    std::vector<bool> disturbed(places.size());
    disturbed[middle - 1] = true;
    ring.take_calls_ahead(*plan.schedule, link_costs, disturbed);
  }
  for (RoleId rank = 0; rank < plan.workers; ++rank)
    ring.start_role(rank, skewed_rank(plan, ring, rank));
  foreign.start_role(0, foreign_sender(foreign));
  std::vector<SimulatedMachine*> jobs{&ring, &foreign};
  shared.run(jobs);
  return to_seconds(ring.now().ps).value();
}

template <By by>
void ring_disturbed(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const Machine machine = star(ranks + 1);
  const auto [plan, places] = skewed_ring(machine, ranks);
  double simulated = 0;
  for (auto _ : state) simulated = run_disturbed(plan, machine, places, by != By::events);
  if (by != By::events && simulated != run_disturbed(plan, machine, places, false))
    state.SkipWithError("events end at another time");
  state.counters["simulated_s"] = simulated;
}
BENCHMARK(ring_disturbed<By::copies>)
    ->Name("ring_disturbed")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ring_disturbed<By::events>)
    ->Name("ring_disturbed_events")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);

/// Workers and a server on two switches with one 12.5 GB/s link between them.
void parameter_server(benchmark::State& state) {
  const int workers = static_cast<int>(state.range(0));
  constexpr std::int64_t kUpdates = 10'000;
  const Machine machine = star(2);  // all workers at gpu0, the server at gpu1
  const Costs costs = free_costs();
  const Plan plan = async_plan(workers, kBytes, kUpdates, Seconds{0.1});
  std::vector<int> places(static_cast<std::size_t>(workers), machine.gpu_vertex(0));
  places.push_back(machine.gpu_vertex(1));
  double simulated = 0;
  for (auto _ : state) {
    SimulatedMachine clock(machine, costs, places, workers, nullptr);
    start_parameter_server(plan, clock);
    clock.run();
    simulated = to_seconds(clock.now().ps).value();
  }
  state.counters["updates/s"] =
      benchmark::Counter(kUpdates, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["simulated_s"] = simulated;
}
BENCHMARK(parameter_server)->Arg(8)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
