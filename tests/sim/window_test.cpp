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

// A push is applied 5 s after the mini-batch that it follows, so the run ends within a mini-batch.
TEST(WindowTest, OneReplicaPushesBesideItsMiniBatches) {
  for (const int steps : {2, 6, 30}) {
    for (const int warmup : {0, 4}) {
      const Measurement got = simulated(
          "model: {kind: synthetic, compute: 10 s, gradient: 4 B}\nmachine: ideal\n"
          "update: {kind: downpour, push_every: 2}\n"
          "stragglers: {communication: {kind: constant, value: 5 s}}\nsteps: " +
          std::to_string(steps) + "\nwarmup: " + std::to_string(warmup) + "\n");
      EXPECT_NEAR(*got.step_mean, 10, 1e-9) << steps << " " << warmup;
      EXPECT_NEAR(*got.throughput, kBatch / 10.0, 1e-9) << steps << " " << warmup;
      expect_parts_add_up(got);
    }
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
