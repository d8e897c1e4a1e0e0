// SPDX-License-Identifier: MIT
// The window of a measurement compared with closed forms without randomness: wherever it begins and
// ends among bursts of updates, the measurement gives the workers' speed.
#include <cmath>

#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

constexpr int kBatch = 32;

Measurement simulated(const std::string& rest) {
  const ExperimentFile file = load_experiment_text(
      "window.yaml", "name: window\nbatch: " + std::to_string(kBatch) + "\n" + rest, {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

Measurement free_but_for_compute(const std::string& update, int steps, const std::string& more) {
  return simulated(
      "model: {kind: synthetic, compute: 1 s, gradient: 4 B}\nmachine: ideal\nsoftware: ideal\n"
      "workers: 8\nsteps: " +
      std::to_string(steps) + "\nupdate: " + update + "\n" + more);
}

void expect_parts_add_up(const Measurement& got) {
  EXPECT_EQ(why_impossible(got, 1e-9), "");
  EXPECT_NEAR(*got.compute + *got.delay + *got.exposed_comm + *got.wait, *got.step_mean,
              1e-9 * *got.step_mean);
}

TEST(WindowTest, ReplicasThatPushSeldomPushInBursts) {
  for (const int steps : {1, 2, 5, 11, 29, 30, 31, 100}) {
    const Measurement got = free_but_for_compute("{kind: downpour, push_every: 30}", steps, "");
    EXPECT_NEAR(*got.throughput, 8 * kBatch, 1e-6) << steps;
    EXPECT_NEAR(*got.iteration_mean, 30.0 / 8, 1e-6) << steps;
    EXPECT_NEAR(*got.step_mean, 1, 1e-6) << steps;
    EXPECT_NEAR(*got.compute, 1, 1e-6) << steps;
    expect_parts_add_up(got);
  }
}

TEST(WindowTest, UpdatesOfSeveralMiniBatchesComeInBursts) {
  for (const int k : {2, 3, 5, 7}) {
    for (const int steps : {1, 4, 10, 100}) {
      const Measurement got =
          free_but_for_compute("{kind: k-batch-async, k: " + std::to_string(k) + "}", steps, "");
      EXPECT_NEAR(*got.throughput, 8 * kBatch, 1e-6) << k << " " << steps;
      EXPECT_NEAR(*got.iteration_mean, k / 8.0, 1e-6) << k << " " << steps;
      EXPECT_NEAR(*got.step_mean, 1, 1e-6) << k << " " << steps;
      expect_parts_add_up(got);
    }
  }
}

TEST(WindowTest, OfUnequalWorkersEachHasItsOwnRate) {
  for (const int steps : {2, 7, 100}) {
    const Measurement got =
        free_but_for_compute("async", steps, "stragglers: {workers: {3: {slowdown: 1.6}}}\n");
    EXPECT_NEAR(*got.throughput, (7 + 1 / 1.6) * kBatch, 1e-6) << steps;
    expect_parts_add_up(got);
  }
}

/// `rest` on workers that exchange nothing, repeated or not.
std::vector<Measurement> independent(const std::string& rest) {
  const ExperimentFile file = load_experiment_text(
      "window.yaml",
      "name: window\nbatch: 32\nmachine: ideal\nsoftware: ideal\naggregation: independent\n" + rest,
      {});
  Prediction setting = make_prediction(file.points.front(), nullptr);
  const Measurement folded = simulate(setting);
  setting.by_events = true;
  return {folded, simulate(setting)};
}

// A slow one among eight, the first or the last: seven rates of 1 / s and a smaller one.
TEST(WindowTest, IndependentWorkersEachHaveTheirOwnRate) {
  for (const std::string slow : {"0", "7"}) {
    for (const double factor : {1.0, 1.3, 3.0, 10.0, 250.0}) {
      for (const int steps : {1, 5, 20, 100}) {
        const double rate = 7 + 1 / factor;
        for (const Measurement& got : independent(
                 "model: {kind: synthetic, compute: 1 s, gradient: 4 B}\nworkers: 8\nsteps: " +
                 std::to_string(steps) + "\nstragglers: {workers: {" + slow +
                 ": {slowdown: " + std::to_string(factor) + "}}}\n")) {
          SCOPED_TRACE(slow + ", " + std::to_string(factor) + ", " + std::to_string(steps));
          EXPECT_NEAR(*got.throughput, rate * kBatch, 1e-6);
          EXPECT_NEAR(*got.step_mean, 8 / rate, 1e-9);
          EXPECT_NEAR(*got.iteration_mean, 8 / rate, 1e-9);
          EXPECT_NEAR(*got.updates, steps * rate / 8, 1e-9);
          EXPECT_NEAR(*got.compute, 8 / rate, 1e-9);
          EXPECT_NEAR(*got.exposed_comm, 0, 1e-12);
          expect_parts_add_up(got);
        }
      }
    }
  }
}

// 32 exponential times of mean 10 ms make 3,200 mini-batches a second, within four standard errors
// of 8 repeats.
TEST(WindowTest, IndependentRandomTimesDoNotDependOnTheWindow) {
  for (const int steps : {20, 100, 1000}) {
    const Measurement got =
        independent(
            "model: {kind: synthetic, compute: 0 s, gradient: 4 B}\nworkers: 32\n"
            "stragglers: {compute: {kind: exponential, mean: 10 ms}}\n"
            "repeats: 8\nsteps: " +
            std::to_string(steps) + "\n")
            .front();
    const double deviation = 1 / std::sqrt(8.0 * 32 * 0.6 * steps);
    EXPECT_NEAR(*got.throughput / (3200 * kBatch), 1, 4 * deviation) << steps;
    EXPECT_NEAR(*got.exposed_comm, 0, 1e-12);
    EXPECT_NEAR(*got.throughput * *got.step_mean, 32 * kBatch, 0.02 * 32 * kBatch);
  }
}

// Half of the mini-batches take no time, so that several begin at the instant of an update.
TEST(WindowTest, StepsWithoutTimeCountOnce) {
  for (const std::string update :
       {"sync", "{kind: local-sgd, every: 2}", "async", "{kind: k-async, k: 1}",
        "{kind: k-batch-async, k: 1}", "{kind: ssp, slack: 1}", "downpour"}) {
    for (const int workers : {1, 4}) {
      const Measurement got = simulated(
          "model: {kind: synthetic, compute: 0 s, gradient: 4 B}\nmachine: ideal\nsoftware: ideal\n"
          "steps: 20\nwarmup: 3\nworkers: " +
          std::to_string(workers) + "\nupdate: " + update +
          "\nstragglers: {compute: {kind: mixture, parts: [{share: 50 %, time: {kind: constant, "
          "value: 1 s}}, {share: 50 %, time: {kind: constant, value: 0 s}}]}}\n");
      EXPECT_NEAR(*got.throughput * *got.step_mean, workers * kBatch, 1e-6)
          << update << " " << workers;
      expect_parts_add_up(got);
    }
  }
}

// Mini-batches begin before the update that precedes them, as many at the window's end as at its
// begin.
TEST(WindowTest, OfStagedWeightsAStepIsTheTimeBetweenTwoUpdates) {
  for (const std::string kind : {"parameter-server", "distributed-replicated"}) {
    for (const int steps : {1, 2, 4, 40}) {
      const Measurement got = simulated(
          "model: {kind: synthetic, compute: 900 ms, gradient: 40 MB}\n"
          "machine: dgx1-p100\nsoftware: ideal\nworkers: 2\nwarmup: 2\n"
          "aggregation: {kind: " +
          kind + ", staged: true}\nsteps: " + std::to_string(steps) + "\n");
      EXPECT_NEAR(*got.step_mean, *got.iteration_mean, 1e-12) << steps;
      EXPECT_NEAR(*got.compute, *got.step_mean, 1e-9) << steps;  // the copies are hidden
      expect_parts_add_up(got);
    }
  }
}

TEST(WindowTest, OfReplicasThatUpdateOneAfterAnotherEachStepCountsWhole) {
  const auto of = [](int steps) {
    return simulated(
        "model: {kind: synthetic, compute: 9 ms, gradient: 40 MB}\n"
        "machine: dgx1-p100\nsoftware: ideal\nworkers: 8\nwarmup: 2\n"
        "aggregation: {kind: replicated, placement: gpu}\nsteps: " +
        std::to_string(steps) + "\n");
  };
  const Measurement few = of(2), many = of(80);
  EXPECT_NEAR(*few.compute, *many.compute, 1e-9);
  EXPECT_GT(*few.compute, 9e-3);  // the update of the worker's own weights is a part of it
  EXPECT_NEAR(*few.wasted, 0, 0);
  EXPECT_NEAR(*many.wasted, 0, 0);
  expect_parts_add_up(few);
}

TEST(WindowTest, AStepOfARingIsTheTimeBetweenTwoUpdates) {
  for (const int steps : {1, 5, 20, 100}) {
    const Measurement got = simulated(
        "model: {kind: synthetic, compute: 10 ms, gradient: 100 MB}\nmachine: dgx1-p100\n"
        "workers: 8\naggregation: {kind: allreduce, algorithm: ring}\nsteps: " +
        std::to_string(steps) + "\n");
    EXPECT_NEAR(*got.step_mean, *got.iteration_mean, 1e-12) << steps;
    expect_parts_add_up(got);
  }
}

}  // namespace
}  // namespace paceline
