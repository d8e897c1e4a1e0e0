// SPDX-License-Identifier: MIT
#include "training/metrics/recorder.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

Instant at(double seconds) {
  return Instant{} + Seconds{seconds};
}

/// Two workers, one warm-up update and two more, a synchronous server as role 2.
Counting two_workers() {
  Counting counting;
  counting.workers = 2;
  counting.warmup_gradients = 2;
  counting.gradients = 6;
  counting.items_per_gradient = 10;
  counting.gradients_per_update = 2;
  counting.keep_gradients = true;
  return counting;
}

TEST(RecorderTest, ClipsToTheWindowAndAddsUp) {
  Recorder recorder(two_workers());
  recorder.span({0, 0}, Activity::compute, at(0), at(1));    // warm-up: not counted
  recorder.updated(2, 1, at(2));                             // the window begins
  recorder.span({0, 1}, Activity::compute, at(1.5), at(3));  // half a second lies before it
  for (const int step : {1, 2}) {
    for (const RoleId worker : {0, 1}) recorder.begun(worker, step, at(2 + step));
  }
  recorder.span({1, 1}, Activity::delay, at(2), at(4));
  recorder.span({0, 1}, Activity::wait, at(3), at(4));
  recorder.updated(2, 2, at(5));
  recorder.updated(2, 3, at(7));                           // and ends
  recorder.span({1, 2}, Activity::compute, at(6), at(9));  // two seconds lie behind it
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.updates, 2);
  EXPECT_DOUBLE_EQ(*got.iteration_mean, 2.5);
  EXPECT_EQ(recorder.samples().iterations, (std::vector<double>{3, 2}));
  EXPECT_DOUBLE_EQ(*got.step_mean, 2 * 5.0 / 4);
  EXPECT_DOUBLE_EQ(*got.compute, (1.0 + 1.0) / 4);
  EXPECT_DOUBLE_EQ(*got.delay, 2.0 / 4);
  EXPECT_DOUBLE_EQ(*got.wait, 1.0 / 4);
  EXPECT_DOUBLE_EQ(*got.compute + *got.delay + *got.wait + *got.input + *got.exposed_comm,
                   *got.step_mean);
  EXPECT_DOUBLE_EQ(*got.throughput, 2 * 2 * 10 / 5.0);
  EXPECT_DOUBLE_EQ(*got.utilization, 2.0 / (2 * 5));
}

TEST(RecorderTest, CountsStalenessOfAcceptedGradientsInTheWindow) {
  Recorder recorder(two_workers());
  recorder.accepted(0, 0, 0, 0);  // warm-up
  recorder.updated(2, 1, at(1));
  recorder.accepted(0, 1, 1, 1);
  recorder.accepted(1, 0, 0, 2);
  recorder.cancelled(1, 1, 2, at(1.5));
  recorder.updated(2, 2, at(1.7));
  recorder.updated(2, 3, at(2));
  EXPECT_DOUBLE_EQ(*recorder.result().staleness_mean, 1);
  EXPECT_DOUBLE_EQ(*recorder.result().staleness_p95, 2);
  const std::vector<GradientEvent> expected{
      {0, 0, 0, 0}, {0, 1, 1, 1}, {1, 0, 0, 2}, {1, 1, 2, -1}};
  EXPECT_EQ(recorder.gradients(), expected);
}

TEST(RecorderTest, CancelledTimeIsWasted) {
  Recorder recorder(two_workers());
  recorder.updated(2, 1, at(0));
  recorder.begun(0, 1, at(0));
  recorder.span({0, 1}, Activity::delay, at(0), at(1));
  recorder.span({0, 1}, Activity::compute, at(1), at(1.5));
  recorder.cancelled(0, 1, 1, at(1.5));
  recorder.updated(2, 2, at(1.7));
  recorder.updated(2, 3, at(2));
  EXPECT_DOUBLE_EQ(*recorder.result().wasted, 1.5);
}

TEST(RecorderTest, AReplicatedUpdateIsMadeWhenTheLastWorkerHasAppliedIt) {
  Counting counting = two_workers();
  counting.replicas = true;
  counting.warmup_gradients = 0;
  counting.gradients = 2;
  Recorder recorder(counting);
  recorder.gradient_computed({0, 0}, at(1), 0.5);
  recorder.gradient_computed({1, 0}, at(3), 0.5);  // so worker 0 waited for 2 s
  recorder.updated(0, 1, at(4));
  recorder.updated(1, 1, at(5));
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.iteration_mean, 5);
  EXPECT_DOUBLE_EQ(*got.wait, 2);
}

TEST(MeasurementTest, JoinsRepeats) {
  Measurement a;
  Measurement b;
  a.throughput = 10;
  b.throughput = 14;
  a.iteration_mean = 1;
  b.iteration_mean = 3;
  const Measurement joined = join_repeats({a, b}, {{{1, 2}, {}}, {{3, 4}, {}}}, 12);
  EXPECT_DOUBLE_EQ(*joined.throughput, 12);
  EXPECT_DOUBLE_EQ(*joined.throughput_stderr, 2);  // deviation 2.83 over the root of 2
  EXPECT_DOUBLE_EQ(*joined.iteration_mean, 2);
  EXPECT_DOUBLE_EQ(*joined.iteration_median, 2.5);
  EXPECT_FALSE(joined.compute.has_value());
}

TEST(MeasurementTest, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile_of({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile_of({1, 2, 3, 4, 5}, 0.95), 4.8);
  EXPECT_DOUBLE_EQ(robust_deviation({1, 2, 3, 4, 100}), 1.4826);
}

}  // namespace
}  // namespace paceline
