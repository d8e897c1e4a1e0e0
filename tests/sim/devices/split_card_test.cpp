// SPDX-License-Identifier: MIT
// A card split into groups of multiprocessors (`split: green`), against hand computation: groups
// compute beside each other, and share the card's memory, and its copy engines with the host.
#include "sim/devices/split_card.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/devices/layer_parts.hpp"

namespace paceline {
namespace {

/// A card with a memory of 100 GB/s for all, 40 GB/s at most to one group and 50 to a server. A
/// forward pass has three layers: one computes for 10 ms and moves nothing; one draws 40 GB/s for
/// 10 ms; one draws 1 GB/s for 10 ms.
Costs card() {
  Costs costs;
  costs.forward.assign(3, Seconds{0.01});
  costs.forward_traffic = {Bytes{0}, Bytes{0.4e9}, Bytes{0.01e9}};
  costs.backward.assign(3, Seconds{0.02});
  costs.backward_traffic.assign(3, Bytes{0});
  costs.groups = {BytesPerSecond{100e9}, BytesPerSecond{40e9}, BytesPerSecond{50e9}};
  costs.worker_reduce = 3 / 40e9;
  costs.server_update = 3 / 50e9;
  costs.card_copy_bandwidth = BytesPerSecond{20e9};
  costs.card_copy_engines = 2;
  return costs;
}

using Program = std::function<Task<>(Backend&)>;

/// The machine's one link carries 10 GB/s each way; no latency.
Machine machine() {
  return load_machine(parse_yaml(
      "one",
      "gpus: [{model: p100-sxm2}]\nhost: {cores: 1, memory_bandwidth: 100 GB/s}\n"
      "link_types: {port: {kind: pcie, bandwidth: 10 GB/s, latency: 0 us, source: test}}\n"
      "links: [{type: port, from: cpu0, to: [gpu0]}]\n"));
}

/// Runs the first `workers` programs as workers on the card and the others as servers there, or on
/// the host; says when all have ended, in seconds.
double run(Costs costs, const std::vector<Program>& programs, std::size_t workers,
           bool servers_on_host = false, Observer* observer = nullptr) {
  const Machine at = machine();
  costs.shared_card = at.gpu_vertex(0);
  std::vector<int> places;
  for (std::size_t role = 0; role < programs.size(); ++role) {
    const bool host = servers_on_host && role >= workers;
    places.push_back(host ? at.host_vertex(0) : at.gpu_vertex(0));
  }
  SimulatedMachine clock(at, costs, places, static_cast<int>(workers), observer);
  for (std::size_t role = 0; role < programs.size(); ++role) {
    clock.start_role(static_cast<RoleId>(role), programs[role](clock));
  }
  clock.run();
  return to_seconds(clock.now().ps).value();
}

/// Computes layers [first, last) of a forward pass.
Program forward(RoleId me, int first, int last) {
  return [=](Backend& backend) -> Task<> {
    const Token work =
        backend.compute({me, StreamKind::compute}, {Pass::forward, first, last}, {me, 0});
    co_await backend.finished(me, work);
  };
}

Command::Copy copy_of(RoleId from, RoleId to, double bytes) {
  return {{from, Buffer::gradient}, {to, Buffer::gradient}, {0, 1, bytes}};
}

/// Copies on its push stream, and says when that was done.
Program copy(RoleId me, RoleId from, RoleId to, double bytes, double* done = nullptr) {
  return [=](Backend& backend) -> Task<> {
    const Token copied = backend.copy({me, StreamKind::push}, copy_of(from, to, bytes));
    co_await backend.finished(me, copied);
    if (done != nullptr) *done = to_seconds(backend.now().ps).value();
  };
}

std::vector<Program> for_each_worker(int workers, int first, int last) {
  std::vector<Program> programs;
  for (RoleId worker = 0; worker < workers; ++worker) {
    programs.push_back(forward(worker, first, last));
  }
  return programs;
}

TEST(SplitCard, WhatOnlyComputesIsNotSlowedDown) {
  for (const int workers : {1, 2, 4, 8, 16}) {
    const auto programs = for_each_worker(workers, 0, 1);
    EXPECT_NEAR(run(card(), programs, programs.size()), 0.01, 1e-9) << workers;
  }
}

TEST(SplitCard, WhatIsBoundByMemorySharesTheCards) {
  for (const int workers : {1, 2, 4, 8}) {
    const auto programs = for_each_worker(workers, 1, 2);
    const double alone = 0.01;
    const double all = workers * 0.4e9 / 100e9;
    EXPECT_NEAR(run(card(), programs, programs.size()), std::max(alone, all), 1e-9) << workers;
  }
}

TEST(SplitCard, ASmallDemandIsMetInFull) {
  // four want 40 GB/s each and four 1 GB/s: the small ones have theirs, the others 96 / 4 = 24 GB/s
  // for 10 ms, then 100 / 4 for what is left of 0.4 GB
  std::vector<Program> programs = for_each_worker(4, 1, 2);
  for (RoleId worker = 4; worker < 8; ++worker) programs.push_back(forward(worker, 2, 3));
  EXPECT_NEAR(run(card(), programs, 8), 0.01 + (0.4e9 - 0.24e9) / 25e9, 1e-9);
  EXPECT_NEAR(run(card(), for_each_worker(8, 2, 3), 8), 0.01, 1e-9);
}

TEST(SplitCard, LayersFollowEachOther) {
  // 10 ms that need no memory, 0.4 GB x 8 at 100 GB/s, 10 ms at 1 GB/s each
  const auto programs = for_each_worker(8, 0, 3);
  EXPECT_NEAR(run(card(), programs, 8), 0.01 + 0.032 + 0.01, 1e-9);
}

TEST(SplitCard, WhatWasMeasuredTogetherSlowsEveryLayerDown) {
  Costs costs = card();
  costs.turns = {1, 1.6};  // of two groups each computes at 0.8 of its speed
  EXPECT_NEAR(run(costs, for_each_worker(1, 0, 3), 1), 0.03, 1e-9);
  EXPECT_NEAR(run(costs, for_each_worker(2, 0, 3), 2), 0.03 / 0.8, 1e-9);
  // the second has two layers of 10 ms; then the first computes alone
  const std::vector<Program> programs{forward(0, 0, 3), forward(1, 0, 2)};
  EXPECT_NEAR(run(costs, programs, 2), 0.02 / 0.8 + 0.01, 1e-9);
}

TEST(SplitCard, ATraceShowsEachLayerAsLongAsItTook) {
  LayerParts layers;
  Costs costs = card();
  costs.slowdown.assign(8, 1.0);
  costs.slowdown.front() = 2;  // stands still after the last layer
  run(costs, for_each_worker(8, 0, 3), 8, false, &layers);
  ASSERT_EQ(layers.parts.size(), 3U);
  const std::vector<double> borders{0, 0.01, 0.042, 0.052};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(layers.parts[i].layer, static_cast<int>(i));
    EXPECT_NEAR(layers.parts[i].begin_s, borders[i], 1e-9);
    EXPECT_NEAR(layers.parts[i].end_s, borders[i + 1], 1e-9);
  }
}

TEST(SplitCard, AWorkerThatIsSlowStandsStill) {
  Costs costs = card();
  costs.slowdown = {1, 3};
  const auto programs = for_each_worker(2, 0, 3);
  EXPECT_NEAR(run(costs, programs, 2), 0.09, 1e-9);
}

TEST(SplitCard, TheCopyOnTheCardReadsAndWrites) {
  // alone at what a group copies, 20 GB/s
  const auto idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run(card(), {copy(0, 0, 1, 1e9), idle}, 2), 0.05, 1e-9);
  // three of them: 3 x 20 x 2 = 120 GB/s are wanted of 100
  std::vector<Program> copies;
  for (RoleId worker = 0; worker < 3; ++worker) {
    copies.push_back(copy(worker, worker, (worker + 1) % 3, 1e9));
  }
  EXPECT_NEAR(run(card(), copies, 3), 6e9 / 100e9, 1e-9);
}

TEST(SplitCard, CopiesAndKernelsSlowEachOtherDown) {
  // two layers want 40 GB/s each, and a copy 20, two bytes of memory for each of its own: the copy
  // is at its limit first, and the layers have 30 each until it is done at 5 ms
  double copied = 0;
  std::vector<Program> programs = for_each_worker(2, 1, 2);
  programs.push_back(copy(2, 2, 0, 0.1e9, &copied));
  const double layers = run(card(), programs, 3);
  EXPECT_NEAR(copied, 0.005, 1e-9);
  EXPECT_NEAR(layers, 0.005 + (0.4e9 - 0.15e9) / 40e9, 1e-9);
  // beside four layers all have the same rate x: 4 x + 2 x = 100
  programs = for_each_worker(4, 1, 2);
  programs.push_back(copy(4, 4, 0, 0.1e9, &copied));
  run(card(), programs, 5);
  EXPECT_NEAR(copied, 0.1e9 / (100e9 / 6), 1e-9);
}

TEST(SplitCard, OneEngineOfADirectionCopiesInTurn) {
  double first = 0;
  double second = 0;
  double back = 0;
  const auto idle = [](Backend&) -> Task<> { co_return; };
  const std::vector<Program> programs = {copy(0, 0, 3, 1e9, &first), copy(1, 1, 3, 1e9, &second),
                                         copy(2, 3, 2, 1e9, &back), idle};
  run(card(), programs, 3, true);
  EXPECT_NEAR(first, 0.1, 1e-9) << "the link's 10 GB/s to itself";
  EXPECT_NEAR(second, 0.2, 1e-9) << "after the first";
  EXPECT_NEAR(back, 0.1, 1e-9) << "the other engine";
  Costs one = card();
  one.card_copy_engines = 1;
  run(one, programs, 3, true);
  EXPECT_NEAR(first, 0.1, 1e-9);
  EXPECT_NEAR(second, 0.2, 1e-9);
  EXPECT_NEAR(back, 0.3, 1e-9) << "one engine for both directions";
}

TEST(SplitCard, ServersOnTheCardDrawFromItsMemoryToo) {
  const auto update = [](RoleId me) {
    return [me](Backend& backend) -> Task<> {
      const Token updated = backend.update(
          {me, StreamKind::compute}, {{me, Buffer::weights}, {me, Buffer::gradient}, {0, 1, 1e9}});
      co_await backend.finished(me, updated);
    };
  };
  const auto idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run(card(), {idle, update(1)}, 1), 3e9 / 50e9, 1e-9);
  // four memory-bound layers and the server: 100 / 5 each until the layers are done at 20 ms
  std::vector<Program> programs = for_each_worker(4, 1, 2);
  programs.push_back(update(4));
  EXPECT_NEAR(run(card(), programs, 4), 0.02 + (3e9 - 0.4e9) / 50e9, 1e-9);
}

TEST(SplitCard, CancelledArithmeticStopsAtItsLayersEnd) {
  double stopped = 0;
  const Program victim = [&](Backend& backend) -> Task<> {
    const Token work = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 3}, {0, 0});
    const Token slept = backend.delay({0, StreamKind::push}, Seconds{0.011}, {0, 1});
    co_await backend.finished(0, slept);
    backend.cancel({0, 0});
    co_await backend.finished(0, work);
    stopped = to_seconds(backend.now().ps).value();
  };
  std::vector<Program> programs = {victim};
  for (RoleId worker = 1; worker < 4; ++worker) programs.push_back(forward(worker, 0, 2));
  run(card(), programs, 4);
  EXPECT_NEAR(stopped, 0.01 + 0.016, 1e-9) << "4 x 0.4 GB at 100 GB/s, and not the third layer";
}

TEST(SplitCard, ASlowWorkerIsCancelledAtOnceWhereItOnlyStandsStill) {
  double stopped = 0;
  const Program victim = [&](Backend& backend) -> Task<> {
    const Token work = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 1}, {0, 0});
    const Token slept = backend.delay({0, StreamKind::push}, Seconds{0.5}, {0, 1});
    co_await backend.finished(0, slept);
    backend.cancel({0, 0});
    co_await backend.finished(0, work);
    stopped = to_seconds(backend.now().ps).value();
  };
  Costs costs = card();
  costs.slowdown = {1e5};
  run(costs, {victim}, 1);
  EXPECT_NEAR(stopped, 0.5, 1e-9);
}

TEST(SplitCard, StepsVaryWithTheirBytes) {
  // a step that is slower by a factor moves its bytes over that time: alone, nothing holds it up
  Costs costs = card();
  costs.variation = 0.1;
  const auto programs = for_each_worker(1, 0, 3);
  const double taken = run(costs, programs, 1);
  Costs none = card();
  none.groups = CardShares{};  // no memory to share
  none.variation = 0.1;
  EXPECT_NEAR(taken, run(none, programs, 1), 1e-9);
  EXPECT_NE(taken, 0.03);
}

// ---- whole experiments

/// Mean seconds from one update to the next.
double iteration(const std::string& lines) {
  const ExperimentFile file = load_experiment_text(
      "card.yaml", "name: card\nsoftware: ideal\nsteps: 20\nwarmup: 2\n" + lines, {});
  return *simulate(make_prediction(file.points.front(), nullptr)).iteration_mean;
}

TEST(SplitCard, WhereNothingIsSharedEachIsAWorkerOfItsOwn) {
  const std::string lines =
      "model: {kind: synthetic, compute: 10 ms, gradient: 4 B}\nmachine: ideal\nupdate: sync\n";
  for (const int workers : {1, 2, 8}) {
    EXPECT_NEAR(iteration(lines + "devices: {virtual: 8, split: green}\nworkers: " +
                          std::to_string(workers) + "\n"),
                0.01, 1e-9);
  }
}

TEST(SplitCard, AGroupIsAsMuchSlowerAsItIsSmaller) {
  // 16 of 132 SMs have 16/132 of the arithmetic; of memory-bound layers' bandwidth somewhat more
  const std::string lines = "model: resnet50\nbatch: 8\nmachine: h200\nworkers: 1\nupdate: sync\n";
  const double whole = iteration(lines);
  const double group = iteration(lines + "devices: {virtual: 8, split: green}\n");
  EXPECT_GT(group, whole * 2.3);
  EXPECT_LT(group, whole * 132 / 16);
}

TEST(SplitCard, WorkersOnAnEighthOfACardAreNotEightCards) {
  const std::string lines =
      "model: resnet50\nprecision: bf16\nbatch: 32\nmachine: h200\nupdate: sync\n"
      "aggregation: {kind: allreduce, algorithm: ring}\n"
      "devices: {virtual: 8, split: green}\nworkers: ";
  const double one = iteration(lines + "1\n");
  const double two = iteration(lines + "2\n");
  const double eight = iteration(lines + "8\n");
  EXPECT_GT(two, one);
  EXPECT_LT(two, 1.1 * one) << "two groups hardly fill the memory's bandwidth";
  EXPECT_GT(eight, 1.2 * one) << "eight do";
  EXPECT_LT(eight, 8 * one);
}

}  // namespace
}  // namespace paceline
