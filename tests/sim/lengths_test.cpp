// SPDX-License-Identifier: MIT
// Batches of unequal length on the simulated clock, against closed forms.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/closed_form_of_point.hpp"
#include "sim/simulate.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/results/metrics/position_count.hpp"

namespace paceline {
namespace {

const ExperimentPoint& point_of(const std::string& text) {
  static std::vector<std::unique_ptr<ExperimentFile>> files;  // a prediction points into its file
  files.push_back(std::make_unique<ExperimentFile>(load_experiment_text("lengths.yaml", text, {})));
  return files.back()->points.front();
}

std::string network(int height) {
  return "model: {item: sequences, input: {channels: 1, height: " + std::to_string(height) +
         "}, classes: 2, blocks: [{kind: embedding, vocabulary: 50, features: 32}, "
         "position-embedding, {kind: transformer, heads: 4}, {kind: lstm, units: 32}, "
         "global-average-pool, classifier]}\n";
}

/// Two lengths, 10 and 50, equally frequent; mini-batches of one sequence, which take 1 s and 5 s.
/// Nothing else takes time.
Prediction two_lengths(const std::string& rest, int workers, int steps, int batch = 1) {
  Prediction setting = make_prediction(
      point_of("name: l\nmachine: ideal\nsoftware: ideal\nwarmup: 0\n" + network(50) +
               "batch: " + std::to_string(batch) + "\n" + "workers: " + std::to_string(workers) +
               "\nsteps: " + std::to_string(steps) + "\n" + rest),
      nullptr);
  for (std::size_t i = 0; i < setting.costs.shapes.size(); ++i) {
    setting.costs.shapes[i].forward.front() = Seconds{setting.lengths->shapes()[i].length / 10.0};
  }
  return setting;
}

const std::string kTwo =
    "  distribution: {kind: table, lengths: [{length: 10, share: 50 %}, {length: 50, share: 50 "
    "%}]}\n";
constexpr int kSteps = 4000;

// The slowest of P workers takes 1 s only if all P sequences are short.
TEST(LengthsTest, SynchronousStepsTakeTheLongestOfTheWorkers) {
  for (const int workers : {1, 2, 4}) {
    const Measurement got = simulate(two_lengths("lengths:\n" + kTwo, workers, kSteps));
    const double all_short = std::pow(0.5, workers);
    const double deviation = 4 * std::sqrt(all_short * (1 - all_short) / kSteps);
    EXPECT_NEAR(*got.iteration_mean, 5 - 4 * all_short, 4 * deviation) << workers;
    EXPECT_NEAR(*got.compute, 3, 4 * 2 / std::sqrt(kSteps * workers)) << workers;
    EXPECT_NEAR(*got.length_mean, 30, 4 * 20 / std::sqrt(kSteps * workers)) << workers;
    EXPECT_DOUBLE_EQ(*got.padding, 0);
  }
}

// The same bucket for all: no worker waits, and a step takes what one worker's would.
TEST(LengthsTest, OfOneBucketNoWorkerWaits) {
  const Measurement got =
      simulate(two_lengths("lengths:\n" + kTwo + "  buckets: 2\n  same_bucket: true\n", 4, kSteps));
  EXPECT_NEAR(*got.iteration_mean, 3, 4 * 2 / std::sqrt(kSteps));
  EXPECT_NEAR(*got.wait, 0, 1e-9);
}

TEST(LengthsTest, AsynchronousWorkersTakeTheirOwnMean) {
  const Measurement got = simulate(two_lengths("lengths:\n" + kTwo + "update: async\n", 4, kSteps));
  EXPECT_NEAR(*got.throughput, 4 / 3.0, 0.03);
}

// Of four sequences a worker, one is long with the chance 15/16: 5 s; padding is the short ones'.
TEST(LengthsTest, PaddingIsOfTheShorterSequences) {
  const Measurement got = simulate(two_lengths("lengths:\n" + kTwo, 1, kSteps, 4));
  const double positions = 4 * (10 / 16.0 + 50 * 15 / 16.0);
  EXPECT_NEAR(*got.padding, 1 - 4 * 30 / positions, 0.01);
  EXPECT_NEAR(*got.compute, 5 - 4 / 16.0, 0.1);
}

// With words the mini-batches of short sequences have five: throughput counts those that there
// were.
TEST(LengthsTest, ThroughputCountsTheSentencesOfMiniBatchesByWords) {
  const Measurement got =
      simulate(two_lengths("lengths:\n" + kTwo + "  batch_by: words\n  buckets: 5\n", 1, kSteps));
  // of five sentences that are short and five that are long: one and five mini-batches
  const double items = 10.0 / 6;
  const double seconds = (1 * 1 + 5 * 5) / 6.0;
  EXPECT_NEAR(*got.throughput, items / seconds, 0.03);
}

// The cost model gives a shape the times of the network at that length.
TEST(LengthsTest, AShapeTakesWhatTheNetworkOfThatLengthTakes) {
  const std::string rest =
      "name: l\nmachine: dgx1-p100\nworkers: 2\nbatch: 16\nsteps: 5\nlayer_times: roofline\n";
  for (const int length : {1, 13, 50}) {
    const std::string constant =
        "lengths: {distribution: {kind: constant, length: " + std::to_string(length) + "}}\n";
    const Prediction got = make_prediction(point_of(rest + network(50) + constant), nullptr);
    const Prediction expected = make_prediction(point_of(rest + network(length)), nullptr);
    ASSERT_EQ(got.costs.shapes.size(), 1u);
    const ShapeCosts& shape = got.costs.shapes.front();
    for (std::size_t i = 0; i < shape.forward.size(); ++i) {
      const bool table = got.point->network->layers[i].kind == LayerKind::position;
      const double most = table ? 0.5 : 1e-9;  // its parameters are those of the longest
      const double forward = expected.costs.forward[i].value();
      const double backward = expected.costs.backward[i].value();
      EXPECT_NEAR(shape.forward[i].value(), forward, most * forward) << i;
      EXPECT_NEAR(shape.backward[i].value(), backward, most * backward) << i;
    }
  }
}

// Measured alone a layer takes 1 s at length 10 and 3 s at 50, hence 2 s at 30; in place it takes 6
// s at 50, twice as long.
TEST(LengthsTest, OnThisComputerTimesLieBetweenThoseOfTheLengthsMeasured) {
  const ExperimentPoint& point =
      point_of("name: l\nmachine: this\nbatch: 4\nsteps: 5\n" + network(50) +
               "lengths: {distribution: {kind: constant, length: 30}}\n");
  Profile profile;
  profile.host.cores = 2;
  profile.host.copy_bandwidth = profile.host.memory_bandwidth = BytesPerSecond{1e12};
  NetworkProfile times(workload_of(point));
  const auto all = [&](double seconds) {
    return std::vector<Seconds>(point.network->layers.size(), Seconds{seconds});
  };
  times.forward = times.backward = all(6);
  times.copy = times.update = times.reduce = Seconds{1e-6};
  times.by_length = {{10, all(1), all(1)}, {50, all(3), all(3)}};
  profile.networks.push_back(times);
  const Prediction got = make_prediction(point, &profile);
  ASSERT_EQ(got.costs.shapes.size(), 1u);
  for (const Seconds time : got.costs.shapes.front().forward) EXPECT_DOUBLE_EQ(time.value(), 4);
  for (const Seconds time : got.costs.shapes.front().backward) EXPECT_DOUBLE_EQ(time.value(), 4);
  profile.networks.front().by_length.clear();
  EXPECT_THROW(make_prediction(point, &profile), std::runtime_error);
}

// Layers known to take twice their estimate at the network's length take twice it at every length.
TEST(LengthsTest, ShapesAreScaledAsTheNetworkIs) {
  Prediction setting = two_lengths("lengths:\n" + kTwo, 2, 10);
  const Seconds before = setting.costs.arithmetic(0);
  EXPECT_DOUBLE_EQ(before.value(), 3);
  setting.costs.scale_arithmetic(2);
  EXPECT_DOUBLE_EQ(setting.costs.arithmetic(0).value(), 6);
}

// `applies: total` draws the whole time of a mini-batch: only a longer one takes more.
TEST(LengthsTest, ATotalDelayIsShorterByTheMiniBatchsOwnArithmetic) {
  const Measurement got = simulate(two_lengths(
      "lengths:\n" + kTwo + "stragglers: {compute: {kind: constant, value: 2 s, applies: total}}\n",
      1, kSteps));
  EXPECT_NEAR(*got.step_mean, (2 + 5) / 2.0, 4 * 1.5 / std::sqrt(kSteps));
}

// Steps that take no time all lie at one instant. Those of the window are the third and the fourth
// of each worker, in whatever way the run is simulated.
TEST(LengthsTest, PaddingIsOfTheMiniBatchesOfTheWindow) {
  for (const std::string aggregation :
       {"peer-to-peer", "allreduce", "{kind: allreduce, algorithm: nccl}", "replicated",
        "parameter-server", "{kind: parameter-server, staged: true}", "distributed-replicated"}) {
    Prediction setting = make_prediction(
        point_of("name: l\nmachine: ideal\nsoftware: ideal\nwarmup: 2\nsteps: 2\nworkers: 8\n"
                 "batch: 8\n" +
                 network(64) + "aggregation: " + aggregation +
                 "\nlengths: {distribution: {kind: lognormal, mean: 16, cv: 0.6}, pad_to: 32}\n"),
        nullptr);
    PositionCount window(setting.lengths, setting.counting.data_seed);
    for (RoleId worker = 0; worker < 8; ++worker) {
      for (const std::int64_t step : {2, 3}) window.add({worker, step});
    }
    Measurement expected;
    window.report(expected);
    for (const bool by_events : {false, true}) {
      setting.by_events = by_events;
      const Measurement got = simulate(setting);
      EXPECT_DOUBLE_EQ(*got.padding, *expected.padding) << aggregation;
      EXPECT_DOUBLE_EQ(*got.length_mean, *expected.length_mean) << aggregation;
    }
  }
}

TEST(LengthsTest, TheoryHasNoValue) {
  const Prediction setting = two_lengths("lengths:\n" + kTwo, 2, 10);
  EXPECT_FALSE(theory_of(setting).iteration_mean);
}

}  // namespace
}  // namespace paceline
