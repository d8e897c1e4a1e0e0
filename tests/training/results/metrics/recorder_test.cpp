// SPDX-License-Identifier: MIT
#include "training/results/metrics/recorder.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

Instant at(double seconds) {
  return Instant{} + Seconds{seconds};
}

/// Two workers and a synchronous server as role 2; one warm-up update and two more.
Counting two_workers() {
  Counting counting;
  counting.workers = 2;
  counting.warmup_gradients = 2;
  counting.gradients = 6;
  counting.items_per_gradient = 10;
  counting.gradients_per_update = 2;
  counting.keep_gradients = true;
  counting.wastes = true;
  return counting;
}

TEST(RecorderTest, ClipsToTheWindowAndAddsUp) {
  Recorder recorder(two_workers());
  recorder.span({0, 0}, Activity::compute, at(0), at(1));    // warm-up: not counted
  recorder.updated(2, 1, at(2));                             // the window begins
  recorder.span({0, 1}, Activity::compute, at(1.5), at(3));  // half a second lies before the window
  for (const int step : {1, 2}) {
    for (const RoleId worker : {0, 1}) recorder.begun(worker, step, at(2 + step));
  }
  recorder.span({1, 1}, Activity::delay, at(2), at(4));
  recorder.span({0, 1}, Activity::wait, at(3), at(4));
  recorder.updated(2, 2, at(5));
  recorder.updated(2, 3, at(7));                           // the window ends
  recorder.span({1, 2}, Activity::compute, at(6), at(9));  // two seconds lie after it
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

TEST(RecorderTest, ARealClockMayReportTheBorderLate) {
  Recorder recorder(two_workers());
  recorder.begun(0, 0, at(1.5));
  recorder.span({0, 1}, Activity::compute, at(1.5), at(3));  // reported before the update at 2
  recorder.updated(2, 1, at(2));
  recorder.begun(0, 1, at(2));
  EXPECT_FALSE(recorder.border_is_next());
  recorder.updated(2, 2, at(5));
  EXPECT_TRUE(recorder.border_is_next());
  recorder.span({0, 2}, Activity::compute, at(6), at(9));  // reported before the update at 7
  recorder.span({0, 3}, Activity::delay, at(8), at(9));    // lies after the window
  recorder.updated(2, 3, at(7));
  EXPECT_FALSE(recorder.border_is_next());
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.compute, 1.0 + 1.0);  // of the mini-batch that began with the window
  EXPECT_DOUBLE_EQ(*got.delay, 0);
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

// Window: 1 to 5. Shard 0 sums from 1 to 2 and updates from 4 to 6, of which 1 s is inside: 2 of 4
// s. Shard 1 sums for 1 s; a copy at a server and a worker's sum are no server's arithmetic.
TEST(RecorderTest, TheBusiestServersArithmeticIsAShareOfTheWindow) {
  Counting counting = two_workers();
  counting.served = true;
  Recorder recorder(counting);
  recorder.updated(2, 1, at(1));
  const auto report = [&](RoleId role, const auto& what, double begin, double end) {
    recorder.operation({role, StreamKind::compute}, {{}, what}, at(begin), at(end));
  };
  report(2, Command::Reduce{}, 1, 2);
  report(3, Command::Reduce{}, 1, 2);
  report(3, Command::Copy{}, 2, 5);
  report(0, Command::Reduce{}, 1, 5);
  recorder.updated(2, 2, at(3));
  recorder.updated(2, 3, at(5));
  report(2, Command::Update{}, 4, 6);
  EXPECT_DOUBLE_EQ(*recorder.result().server_busy, 0.5);
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
  EXPECT_DOUBLE_EQ(*got.wait, 2.0 / 2);  // divided by the two mini-batches of an update
}

// With servers, only shard 0 (role 2) makes versions: the workers report their copies of the model,
// and shard 1 reports the same versions again.
TEST(RecorderTest, ShardZeroAloneMakesVersions) {
  Recorder recorder(two_workers());
  for (std::int64_t version = 1; version <= 3; ++version) {
    const auto when = static_cast<double>(version);
    recorder.updated(3, version, at(when - 0.5));
    EXPECT_EQ(recorder.last_version(), version - 1);
    recorder.updated(2, version, at(when));
    EXPECT_EQ(recorder.last_version(), version);
    for (const RoleId worker : {0, 1}) recorder.updated(worker, version, at(when + 0.25));
  }
  EXPECT_DOUBLE_EQ(*recorder.result().updates, 2);
  EXPECT_EQ(recorder.samples().iterations, (std::vector<double>{1, 1}));
}

// Worker 0 updates every second, and worker 1 every 2 s. The window is from the first update of
// worker 0 to its last, at 3, and worker 1 goes on after it.
TEST(RecorderTest, IndependentWorkersCountByTheirSharesInTheWindow) {
  Counting counting = two_workers();
  counting.replicas = counting.independent = true;
  Recorder recorder(counting);
  for (int second = 1; second <= 6; ++second) {
    if (second <= 3) recorder.updated(0, second, at(second));
    recorder.span({1, (second - 1) / 2}, Activity::compute, at(second - 1), at(second));
    if (second % 2 == 0) recorder.updated(1, second / 2, at(second));
  }
  ASSERT_TRUE(recorder.window_begin() == at(1) && recorder.window_end() == at(3));
  EXPECT_EQ(recorder.samples().iterations, (std::vector<double>{1, 1}));
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.step_mean, 2 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(*got.iteration_mean, 2 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(*got.updates, 1.5);  // of a worker, on average
  EXPECT_DOUBLE_EQ(*got.throughput, 3 * 10 / 2.0);
  EXPECT_DOUBLE_EQ(*got.compute, 2.0 / 3);
}

TEST(RecorderTest, AThreadMayReportACancelledMiniBatchLater) {
  Recorder recorder(two_workers());
  recorder.updated(2, 1, at(0));
  recorder.begun(0, 1, at(0));
  recorder.span({0, 1}, Activity::delay, at(0), at(1));
  recorder.cancelled(0, 1, 1, at(1.5));
  recorder.span({0, 1}, Activity::compute, at(1), at(1.75));  // stopped at the end of a layer
  recorder.span({0, 2}, Activity::compute, at(1.75), at(2));
  recorder.updated(2, 2, at(1.8));
  recorder.updated(2, 3, at(2));
  EXPECT_DOUBLE_EQ(*recorder.result().wasted, 1.75);
}

TEST(RecorderTest, CountsTheGradientsOfEachUpdateWhereKChanges) {
  Counting counting = two_workers();
  counting.changing = true;
  counting.gradients_per_update = 1;
  counting.keep_versions = true;
  Recorder recorder(counting);  // 2 gradients of warm-up, 6 in all
  recorder.accepted(0, 0, 0, 0);
  recorder.updated(2, 1, at(1));
  recorder.accepted(1, 0, 0, 1);
  recorder.accepted(0, 1, 1, 2);  // accepted before version 2 is made
  recorder.updated(2, 2, at(2));  // the window begins
  recorder.accepted(1, 1, 2, 2);
  recorder.accepted(0, 2, 2, 2);
  recorder.updated(2, 3, at(4));
  recorder.accepted(1, 2, 3, 3);
  recorder.updated(2, 4, at(5));
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.updates, 2);
  EXPECT_DOUBLE_EQ(*got.iteration_mean, 1.5);
  EXPECT_DOUBLE_EQ(*got.throughput, (3 + 1) * 10 / 3.0);
  for (const auto& [version, items] : {std::pair{1, 10.0}, {2, 20.0}, {3, 50.0}, {4, 60.0}}) {
    EXPECT_DOUBLE_EQ(recorder.reached(version)->items, items) << version;
  }
  EXPECT_FALSE(recorder.reached(5));
}

TEST(RecorderTest, TheDeadWaitUntilTheyComeBackOrTheRunEnds) {
  Recorder recorder(two_workers());
  recorder.updated(2, 1, at(0));
  recorder.begun(0, 0, at(0));
  recorder.begun(1, 0, at(0));
  recorder.died(0, at(1));
  recorder.span({0, -1}, Activity::wait, at(1), at(3));  // worker 0 has restarted
  recorder.died(1, at(4));                               // without a restart
  recorder.updated(2, 2, at(5));
  recorder.updated(2, 3, at(6));
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.failures, 2);
  EXPECT_DOUBLE_EQ(*got.wait, (2.0 + 2.0) / 2);
}

TEST(RecorderTest, WhatARealMachineComputesAfterADeathIsNotCounted) {
  Recorder recorder(two_workers());
  recorder.updated(2, 1, at(1));
  recorder.died(1, at(2));
  recorder.span({1, 1}, Activity::compute, at(1.5), at(3));  // the current layer
  recorder.span({1, -1}, Activity::wait, at(2), at(4));
  recorder.span({1, 2}, Activity::compute, at(4), at(5));
  recorder.updated(2, 2, at(6));
  recorder.updated(2, 3, at(7));
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.compute, 0.5 + 1);
  EXPECT_DOUBLE_EQ(*got.wait, 2);
}

TEST(RecorderTest, AtTheirOwnPaceMiniBatchesCountByTheirShareInTheWindow) {
  Counting counting = two_workers();
  counting.own_pace = counting.applies_all = true;
  Recorder recorder(counting);
  // Worker 0 takes 2 s, worker 1 takes 4 s; the window is from 3 to 9.
  for (const int step : {0, 1, 2, 3, 4}) {
    if (step == 2) recorder.updated(2, 1, at(3));
    recorder.begun(0, step, at(2 * step));
    if (step % 2 == 0) recorder.begun(1, step / 2, at(2 * step));
  }
  recorder.updated(2, 2, at(8.5));
  recorder.updated(2, 3, at(9));
  const Measurement got = recorder.result();
  const double mini_batches = 6 / 2.0 + 6 / 4.0;
  EXPECT_DOUBLE_EQ(*got.step_mean, 2 * 6 / mini_batches);
  EXPECT_DOUBLE_EQ(*got.throughput, mini_batches * 10 / 6);
  EXPECT_DOUBLE_EQ(*got.iteration_mean, 2 * 6 / mini_batches);  // an update has two gradients
}

TEST(RecorderTest, KeepsTheTimesFromOneMiniBatchToTheNextInTheWindow) {
  Recorder recorder(two_workers());
  recorder.begun(0, 0, at(0));
  recorder.begun(1, 0, at(0.5));
  recorder.updated(2, 1, at(1));  // the window begins
  recorder.begun(0, 1, at(1));
  recorder.begun(1, 1, at(1.5));  // its first one began before the window
  recorder.begun(0, 2, at(3));
  recorder.begun(1, 2, at(4.5));
  recorder.begun(0, 3, at(6));
  recorder.updated(2, 2, at(4));
  recorder.updated(2, 3, at(7));
  recorder.begun(1, 3, at(8));
  EXPECT_EQ(recorder.samples().steps, (std::vector<float>{2, 3, 3}));
}

TEST(RecorderTest, ReplicasBeginAtTheWindowsBorderInAnyOrder) {
  Counting counting = two_workers();
  counting.replicas = true;
  Recorder recorder(counting);
  for (std::int64_t version = 1; version <= 3; ++version) {
    for (const RoleId worker : {0, 1}) {
      const Instant when = at(static_cast<double>(version));
      recorder.updated(worker, version, when);
      recorder.begun(worker, version, when);  // worker 0 before worker 1 has updated
    }
  }
  EXPECT_DOUBLE_EQ(*recorder.result().step_mean, 2 * 2.0 / 4);  // two rounds of two
}

TEST(RecorderTest, ReplicasThatTrainAloneWaitOnceARound) {
  Counting counting = two_workers();
  counting.replicas = true;
  counting.warmup_gradients = 0;
  counting.gradients = 6;
  counting.gradients_per_update = 6;
  counting.steps_per_gradient = 3;
  counting.keep_steps = true;
  Recorder recorder(counting);
  for (std::int64_t step = 0; step < 3; ++step) {
    for (const RoleId worker : {0, 1}) {
      recorder.begun(worker, step, at(static_cast<double>(step * (worker + 1))));
      recorder.span({worker, step}, Activity::compute, at(static_cast<double>(step * (worker + 1))),
                    at(static_cast<double>((step + 1) * (worker + 1))));
      recorder.gradient_computed({worker, step}, at(static_cast<double>((step + 1) * (worker + 1))),
                                 0.5);
    }
  }
  for (const RoleId worker : {0, 1}) recorder.updated(worker, 1, at(6));
  const Measurement got = recorder.result();
  EXPECT_DOUBLE_EQ(*got.wait, 3.0 / 6);  // the fast worker, from 3 to 6
  ASSERT_EQ(got.steps.size(), 6U);
  for (const StepRow& row : got.steps) EXPECT_TRUE(row.accepted) << row.step;
}

}  // namespace
}  // namespace paceline
