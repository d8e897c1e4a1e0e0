// SPDX-License-Identifier: MIT
// The time of mini-batches that no update takes, compared with what the policies' pages give for
// workers without randomness.
#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

Measurement simulated(const std::string& rest) {
  const ExperimentFile file = load_experiment_text(
      "wasted.yaml", "name: wasted\nmachine: ideal\nbatch: 8\nworkers: 3\n" + rest, {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

// An update takes two mini-batches of worker 0, 7 ms each, and one of worker 1, 14.836 ms. Worker 0
// has then spent 0.836 ms on a third. Worker 2 never ends one: a layer takes 20 ms, so that it is
// always in a mini-batch that was cancelled, some of them twice before the layer's end.
TEST(WastedTimeInARunTest, ALayerOutlastsTheUpdatesThatCancelIt) {
  const Measurement got = simulated(
      "model: {kind: synthetic, compute: 6 ms, gradient: 4 B}\nupdate: {kind: k-batch-sync, k: 3}\n"
      "stragglers: {compute: {kind: constant, value: 1 ms}, workers: {1: {slowdown: 2.306}, 2: "
      "{slowdown: 10}}}\nsteps: 6\nwarmup: 1\n");
  ASSERT_NEAR(*got.iteration_mean, 14.836e-3, 1e-9);
  const double mini_batches = 3 * 6 + 6 + 4;  // worker 2 begins one after each layer and delay
  ASSERT_NEAR(*got.step_mean, 3 * 6 * 14.836e-3 / mini_batches, 1e-9);
  // worker 0's last is under way when the run ends
  EXPECT_NEAR(*got.wasted, (6 * 14.836e-3 + 5 * 0.836e-3) / mini_batches, 1e-9);
}

TEST(WastedTimeInARunTest, WhereAnUpdateTakesAllNothingIsWasted) {
  for (const std::string aggregation : {"replicated", "parameter-server", "allreduce"}) {
    for (const std::string update : {"sync", "{kind: local-sgd, every: 5}"}) {
      const Measurement got = simulated(
          "model: {kind: synthetic, compute: 6 ms, gradient: 4 B}\nsteps: 10\naggregation: " +
          aggregation + "\nupdate: " + update + "\n");
      EXPECT_EQ(*got.wasted, 0) << aggregation << " " << update;
    }
  }
}

}  // namespace
}  // namespace paceline
