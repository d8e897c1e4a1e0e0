// SPDX-License-Identifier: MIT
// Gradients of several mini-batches that make one contribution: the model against updates made by
// hand, in any legal order of operations.
#include <gtest/gtest.h>

#include "tests/training/strategies/shuffled_clock.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/experiment/trainer.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

constexpr int kWorkers = 3, kMiniBatches = 4, kUpdates = 3;
constexpr float kRate = 0.1F;

ExperimentFile training(const std::string& aggregation) {
  return load_experiment_text(
      "a.yaml",
      "name: a\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 8\nwarmup: 4\ntrain: {evaluate: 6, held_out: 64}\nworkers: 3\n"
      "update: {kind: sync, accumulate: 4}\naggregation: " +
          aggregation + "\n",
      {});
}

std::vector<float> in_any_order(const ExperimentPoint& point, unsigned seed) {
  const Setting setting = make_setting(point);
  const Plan plan = setting.plan_of(0, nullptr, {});
  EXPECT_EQ(plan.updates, kUpdates);
  Trainer trainer(setting, kWorkers);
  Learning learning = trainer.start(plan, 0);
  ShuffledClock clock(plan, learning, DeviceOrder::each_stream, seed);
  start_roles(*point.experiment.aggregation, plan, clock);
  clock.run();
  return learning.buffers().model();
}

/// The weights less the rate times the mean of all gradients, update by update.
std::vector<float> by_hand(const ExperimentPoint& point) {
  const Network& network = *point.network;
  const auto dataset = dataset_of(point.experiment, network);
  WorkerArithmetic arithmetic(network, point.experiment.batch, *dataset, point.experiment.seed);
  std::vector<float> weights = initial_weights(network, point.experiment.seed);
  std::vector<float> gradient(weights.size());
  const auto layers = static_cast<std::int32_t>(network.layers.size());
  const auto never = [] { return false; };
  for (int update = 0; update < kUpdates; ++update) {
    std::vector<double> sum(weights.size());
    for (RoleId worker = 0; worker < kWorkers; ++worker) {
      for (int one = 0; one < kMiniBatches; ++one) {
        const WorkId work{worker, update * kMiniBatches + one};
        arithmetic.compute({Pass::forward, 0, layers}, work, weights, gradient, never);
        arithmetic.compute({Pass::backward, 0, layers}, work, weights, gradient, never);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
      weights[i] -= kRate * static_cast<float>(sum[i] / (kWorkers * kMiniBatches));
  }
  return weights;
}

class AccumulateTest : public testing::TestWithParam<std::string> {};

TEST_P(AccumulateTest, UpdatesByTheMeanOfAllGradients) {
  const ExperimentFile file = training(GetParam());
  const std::vector<float> right = by_hand(file.points.front());
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::vector<float> model = in_any_order(file.points.front(), seed);
    ASSERT_EQ(model.size(), right.size());
    for (std::size_t i = 0; i < model.size(); ++i) {
      ASSERT_NEAR(model[i], right[i], 1e-5) << "parameter " << i << ", seed " << seed;
    }
  }
}

/// Rows of an embedding travel alone: as many as the mini-batches together touch.
TEST(AccumulateOfRowsTest, AllRowsTravel) {
  const ExperimentFile file = load_experiment_text(
      "rows.yaml",
      "name: rows\nmachine: this\nworkers: 3\nbatch: 2\nsteps: 8\nwarmup: 4\n"
      "update: {kind: sync, accumulate: 4}\n"
      "aggregation: {kind: parameter-server, sparse: true}\n"
      "train: {evaluate: 6, held_out: 64}\n"
      "model:\n  input: {channels: 1, height: 4}\n  classes: 4\n  blocks:\n"
      "    - {kind: embedding, vocabulary: 1000, features: 4}\n    - global-average-pool\n"
      "    - classifier\n",
      {});
  const std::vector<float> right = by_hand(file.points.front());
  const std::vector<float> model = in_any_order(file.points.front(), 1);
  for (std::size_t i = 0; i < model.size(); ++i) ASSERT_NEAR(model[i], right[i], 1e-5) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Aggregations, AccumulateTest,
    testing::Values("{kind: allreduce, algorithm: ring, bucket: 200 B}",
                    "{kind: allreduce, algorithm: hierarchical}", "peer-to-peer",
                    "{kind: parameter-server, bucket: 200 B, shards: 2}",
                    "{kind: parameter-server, fetch: random, bucket: 1 B, shards: 3}",
                    "{kind: replicated, placement: cpu}",
                    "{kind: distributed-replicated, bucket: 200 B}"));

}  // namespace
}  // namespace paceline
