// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "experiments/language/value.hpp"
#include "training/results/metrics/recorder.hpp"

namespace paceline {
namespace {

Instant at(double seconds) {
  return Instant{} + Seconds{seconds};
}

/// Two workers and a synchronous server as role 2; one warm-up update and two more. A loss above
/// 100 ends the run.
Counting two_workers_with_a_bound() {
  Counting counting;
  counting.workers = 2;
  counting.warmup_gradients = 2;
  counting.gradients = 6;
  counting.items_per_gradient = 10;
  counting.gradients_per_update = 2;
  counting.loss_bound = 100;
  return counting;
}

TEST(DivergedRunTest, ALossThatIsNoNumberOrTooLargeIsTheEnd) {
  for (const double loss : {std::nan(""), 100.5, std::numeric_limits<double>::infinity()}) {
    Recorder recorder(two_workers_with_a_bound());
    recorder.updated(2, 1, at(1));
    recorder.gradient_computed({0, 1}, at(2), 100);
    recorder.updated(2, 2, at(3));
    try {
      recorder.gradient_computed({1, 2}, at(4), loss);
      FAIL() << "it should have diverged at " << loss;
    } catch (const Diverged& diverged) {
      EXPECT_EQ(diverged.what(), "diverged at update 2 (loss " + print_number(loss) + ")");
    }
    EXPECT_DOUBLE_EQ(*recorder.result().iteration_mean, 3);
    EXPECT_DOUBLE_EQ(*recorder.result().total, 4);
  }
}

TEST(DivergedRunTest, WhatDivergesInTheWarmUpHasNoFigures) {
  Recorder recorder(two_workers_with_a_bound());
  recorder.begun(0, 0, at(0));
  EXPECT_THROW(recorder.gradient_computed({0, 0}, at(1), 1000), Diverged);
  const Measurement got = recorder.result();
  EXPECT_FALSE(got.iteration_mean || got.step_mean || got.compute || got.throughput);
  EXPECT_DOUBLE_EQ(*got.updates, 0);
  EXPECT_DOUBLE_EQ(*got.total, 1);
}

}  // namespace
}  // namespace paceline
