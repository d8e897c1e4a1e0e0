// SPDX-License-Identifier: MIT
// Workers that a policy holds up when the run ends.
#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

// Worker 0 takes 20 ms, worker 1 takes 10 ms and waits for 10: 5 ms for each of their mini-batches,
// however short the run is. The last wait lasts until the last update.
TEST(HeldWorkersTest, TheWaitAtTheEndOfARunCountsAsWaiting) {
  for (const int steps : {1, 2, 5}) {
    const ExperimentFile file = load_experiment_text(
        "held.yaml",
        "name: held\nmachine: ideal\nmodel: {kind: synthetic, compute: 10 ms, gradient: 4 B}\n"
        "workers: 2\nupdate: {kind: ssp, slack: 0}\nstragglers: {workers: {0: {slowdown: 2}}}\n"
        "warmup: 1\nsteps: " +
            std::to_string(steps) + "\n",
        {});
    const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
    EXPECT_NEAR(*got.step_mean, 20e-3, 1e-9) << steps;
    EXPECT_NEAR(*got.wait, 5e-3, 1e-9) << steps;
    EXPECT_NEAR(*got.exposed_comm, 0, 1e-9) << steps;
  }
}

}  // namespace
}  // namespace paceline
