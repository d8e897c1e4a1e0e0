// SPDX-License-Identifier: MIT
// Several workers on one card (`devices`), against hand computation: what they compute takes turns
// with what the others do, delays and transfers to the host do not.
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "sim/closed_form_of_point.hpp"
#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// Mean seconds from one update to the next. A mini-batch takes 10 ms on an empty card.
double iteration(const std::string& lines, const std::string& gradient = "4 B") {
  const std::string text =
      "name: card\nmodel: {kind: synthetic, compute: 10 ms, gradient: " + gradient +
      "}\nsoftware: ideal\nsteps: 20\nwarmup: 2\n" + lines;
  const ExperimentFile file = load_experiment_text("card.yaml", text, {});
  return *simulate(make_prediction(file.points.front(), nullptr)).iteration_mean;
}

TEST(SharedCard, WorkersTakeAsManyTimesAsLongAsThereAreOfThem) {
  for (const int workers : {1, 2, 4, 8}) {
    const std::string lines = "machine: ideal\nupdate: sync\nworkers: " + std::to_string(workers);
    EXPECT_NEAR(iteration(lines + "\ndevices: {virtual: 8}\n"), 0.01 * workers, 1e-9) << workers;
    EXPECT_NEAR(iteration(lines + "\n"), 0.01, 1e-9) << "each has a card";
  }
}

TEST(SharedCard, AsynchronousWorkersGainNothing) {
  // the card yields a gradient every 10 ms, of any worker
  EXPECT_NEAR(iteration("machine: ideal\nupdate: async\nworkers: 4\ndevices: {virtual: 4}\n"), 0.01,
              1e-9);
}

TEST(SharedCard, WhatSeveralDoTogetherIsAsMeasured) {
  const auto step = [](int workers, const std::vector<double>& turns) {
    const ExperimentFile file = load_experiment_text(
        "card.yaml",
        "name: card\nmodel: {kind: synthetic, compute: 10 ms, gradient: 4 B}\nsoftware: ideal\n"
        "machine: ideal\nsteps: 20\nwarmup: 2\ndevices: {virtual: 8}\nworkers: " +
            std::to_string(workers),
        {});
    Prediction setting = make_prediction(file.points.front(), nullptr);
    setting.costs.turns = turns;
    return *simulate(setting).iteration_mean;
  };
  const std::vector<double> turns{1, 1.25, 1.6};
  EXPECT_NEAR(step(1, turns), 0.01, 1e-9);
  EXPECT_NEAR(step(2, turns), 0.016, 1e-9);
  EXPECT_NEAR(step(3, turns), 0.03 / 1.6, 1e-9);
  EXPECT_NEAR(step(8, turns), 0.08 / 1.6, 1e-9) << "as with the most that were measured";
}

TEST(SharedCard, DelaysPassBesideEachOther) {
  // all wait for 30 ms, then share the card for 4 x 10 ms
  EXPECT_NEAR(iteration("machine: ideal\nupdate: sync\nworkers: 4\ndevices: {virtual: 4}\n"
                        "stragglers: {compute: {kind: constant, value: 30 ms}}\n"),
              0.07, 1e-9);
}

TEST(SharedCard, OneSlowWorkerEndsLast) {
  // 10 ms and 20 ms of work: shared until 20 ms, when the first is done; 10 ms are left then
  EXPECT_NEAR(iteration("machine: ideal\nupdate: sync\nworkers: 2\ndevices: {virtual: 2}\n"
                        "stragglers: {workers: {1: {slowdown: 2}}}\n"),
              0.03, 1e-9);
}

TEST(SharedCard, AServerOfTheHostDoesNotTakeItsTime) {
  // on a described machine the servers' arithmetic is the host's: only transfers are on top
  const std::string lines = "machine: dgx1-p100\nupdate: sync\nworkers: ";
  const double one = iteration(lines + "1\ndevices: {virtual: 2}\n");
  const double two = iteration(lines + "2\ndevices: {virtual: 2}\n");
  EXPECT_NEAR(two - one, 0.01, 1e-3);
}

TEST(SharedCard, VirtualGpusCountWhereTheMachineHasFewer) {
  EXPECT_NEAR(iteration("machine: dgx1-p100\nupdate: sync\nworkers: 16\n"
                        "devices: {gpu: 7, virtual: 16}\n"),
              0.16, 2e-3);
}

TEST(SharedCard, NoClosedFormCoversIt) {
  const std::string text =
      "name: card\nmodel: {kind: synthetic, compute: 10 ms, gradient: 4 B}\nmachine: ideal\n"
      "devices: {virtual: 2}\nworkers: ";
  for (const int workers : {1, 2}) {
    const ExperimentFile file = load_experiment_text("c", text + std::to_string(workers), {});
    const Measurement theory = theory_of(make_prediction(file.points.front(), nullptr));
    EXPECT_EQ(theory.iteration_mean.has_value(), workers == 1);
  }
}

/// Runs `programs` as roles at vertex 0 of a machine of one card that copies 100 GB/s in its
/// memory.
double run(const std::vector<std::function<Task<>(Backend&)>>& programs) {
  const Machine machine = load_machine(parse_yaml(
      "one",
      "gpus: [{model: p100-sxm2}]\nhost: {cores: 1, memory_bandwidth: 100 GB/s}\n"
      "link_types: {port: {kind: pcie, bandwidth: 10 GB/s, latency: 1 us, source: test}}\n"
      "links: [{type: port, from: cpu0, to: [gpu0]}]\n"));
  Costs costs;
  costs.forward.assign(1, Seconds{0.01});
  costs.backward.assign(1, Seconds{0.02});
  costs.shared_card = machine.gpu_vertex(0);
  costs.card_copy_bandwidth = BytesPerSecond{100e9};
  const std::vector<int> places(programs.size(), machine.gpu_vertex(0));
  SimulatedMachine clock(machine, costs, places, static_cast<int>(programs.size()), nullptr);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    clock.start_role(static_cast<RoleId>(i), programs[i](clock));
  }
  clock.run();
  return to_seconds(clock.now().ps).value();
}

Command::Copy copy_of(RoleId from, RoleId to, double bytes) {
  return {{from, Buffer::gradient}, {to, Buffer::gradient}, {0, 1, bytes}};
}

TEST(SharedCard, CopiesBetweenWorkersShareItsMemory) {
  const auto sender = [](RoleId me) {
    return [me](Backend& backend) -> Task<> {
      const Token copied = backend.copy({me, StreamKind::push}, copy_of(me, (me + 1) % 2, 1e9));
      co_await backend.finished(me, copied);
    };
  };
  const auto idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run({sender(0), idle}), 0.01, 1e-9);
  EXPECT_NEAR(run({sender(0), sender(1)}), 0.02, 1e-9);
}

TEST(SharedCard, CancelledArithmeticStopsAtItsLayersEndWhileSharing) {
  double stopped = 0;
  const auto victim = [&](Backend& backend) -> Task<> {
    const Token work = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 1}, {0, 0});
    const Token slept = backend.delay({0, StreamKind::push}, Seconds{0.004}, {0, 1});
    co_await backend.finished(0, slept);
    backend.cancel({0, 0});
    co_await backend.finished(0, work);
    stopped = to_seconds(backend.now().ps).value();
  };
  const auto other = [](Backend& backend) -> Task<> {
    const Token work = backend.compute({1, StreamKind::compute}, {Pass::backward, 0, 1}, {1, 0});
    co_await backend.finished(1, work);
  };
  // 10 ms of forward at half the speed; then 10 ms of backward's 20 are left
  EXPECT_NEAR(run({victim, other}), 0.03, 1e-9);
  EXPECT_NEAR(stopped, 0.02, 1e-9);
}

}  // namespace
}  // namespace paceline
