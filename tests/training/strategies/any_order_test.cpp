// SPDX-License-Identifier: MIT
// Every legal pair of aggregation and update, in any legal order of its operations: no two of them
// collide, and where an update takes a gradient of each worker, all train the same model.
#include <gtest/gtest.h>

#include "tests/training/strategies/legal_pairs.hpp"
#include "tests/training/strategies/shuffled_clock.hpp"
#include "training/experiment/trainer.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

constexpr int kWorkers = 5;

ExperimentFile short_training(const LegalPair& pair, const std::string& input = "synthetic") {
  std::string text =
      "name: any-order\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 6\nwarmup: 1\ntrain: {evaluate: 6, held_out: 64}\n";
  text += "input: " + input + "\n";
  text += "workers: " + std::to_string(kWorkers) + "\naggregation: " + pair.aggregation + "\n";
  if (!pair.update.empty()) text += "update: " + pair.update + "\n";
  return load_experiment_text("any-order.yaml", text, {});
}

/// The model at the end of one order of operations.
std::vector<float> train_in_any_order(const ExperimentPoint& point, DeviceOrder order,
                                      unsigned seed) {
  const Setting setting = make_setting(point);
  const Plan plan = setting.plan_of(0, nullptr, {});
  Trainer trainer(setting, kWorkers);
  Learning learning = trainer.start(plan, 0);
  ShuffledClock clock(plan, learning, order, seed);
  start_roles(*point.experiment.aggregation, plan, clock);
  clock.run();
  return learning.buffers().model();
}

/// Whether every update takes the gradients that all workers computed with the version before.
bool is_exact(const LegalPair& pair, const Plan& plan) {
  for (const char* other : {"staged", "compression", "concatenated", "independent"}) {
    if (pair.aggregation.find(other) != std::string::npos) return false;
  }
  return plan.takes_all() && plan.rule.steps() == 1;
}

class AnyOrderTest : public testing::TestWithParam<LegalPair> {};

TEST_P(AnyOrderTest, OperationsDoNotCollideAndTrainOneModel) {
  const ExperimentFile file = short_training(GetParam());
  const ExperimentFile ring =
      short_training({"{kind: allreduce, algorithm: ring, bucket: 200 B}", "sync"});
  const std::vector<float> right = train_in_any_order(ring.points.front(), DeviceOrder::nothing, 1);
  const bool exact = is_exact(GetParam(), make_setting(file.points.front()).plan);
  for (const DeviceOrder order : {DeviceOrder::nothing, DeviceOrder::each_stream}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const std::vector<float> model = train_in_any_order(file.points.front(), order, seed);
      ASSERT_EQ(model.size(), right.size());
      for (std::size_t i = 0; exact && i < model.size(); ++i) {
        ASSERT_NEAR(model[i], right[i], 1e-5) << "parameter " << i << ", seed " << seed;
      }
    }
  }
}

// The optimizer's place changes no weight, in any order and with any momentum.
TEST(AnyOrder, ADistantOptimizerTrainsTheSameModel) {
  const auto model = [](const std::string& aggregation, DeviceOrder order, unsigned seed) {
    const ExperimentFile file =
        short_training({aggregation, "sync\noptimizer: {kind: momentum, learning_rate: 0.1}"});
    return train_in_any_order(file.points.front(), order, seed);
  };
  const std::vector<float> right = model("concatenated", DeviceOrder::nothing, 1);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<float> distant =
        model("{kind: concatenated, optimizer: first-gpu, bucket: 200 B}", DeviceOrder::each_stream,
              seed);
    ASSERT_EQ(distant.size(), right.size());
    for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(distant[i], right[i], 1e-5) << i;
  }
}

/// Whether a server has the batch of all workers.
bool scatters(const LegalPair& pair) {
  return short_training(pair).points.front().experiment.aggregation->scatters();
}

/// Whether its programs know of checkpoints.
bool checkpoints(const LegalPair& pair) {
  return !short_training(pair).points.front().experiment.aggregation->trains_only();
}

class AnyOrderOfInputTest : public testing::TestWithParam<LegalPair> {};

TEST_P(AnyOrderOfInputTest, ABatchIsNotReplacedWhileItIsRead) {
  for (const char* input : {
           "{kind: pipeline, decode: {workers: 2, time: 1 ms}, prefetch: 0}",
           "{kind: pipeline, decode: {workers: 2, time: 1 ms}, prefetch: 3, staging: 1}",
           "{kind: pipeline, decode: {workers: 3, time: 1 ms}, prefetch: 2, staging: 2}",
           "{kind: pipeline, decode: {workers: 2, time: 1 ms, each: share}, batch: concat}",
           "{kind: pipeline, read: {size: 1 kB, bandwidth: 1 MB/s}, decode: {workers: 3, time: "
           "1 ms, each: share}, batch: concat, prefetch: 4, staging: 1}",
           "{kind: pipeline, decode: {workers: 2, time: 1 ms}, batch: concat, prefetch: 1}",
           "{kind: pipeline, decode: {workers: 2, time: 1 ms, processes: true}, prefetch: 3}",
           "{kind: pipeline, decode: {workers: 2, time: 1 ms, processes: true}, batch: concat, "
           "prefetch: 0, staging: 0}",
           "{kind: constant, items: 9}",
       }) {
    const bool constant = std::string(input).find("constant") != std::string::npos;
    if (constant && scatters(GetParam())) continue;
    const ExperimentFile file = short_training(GetParam(), input);
    for (const DeviceOrder order : {DeviceOrder::nothing, DeviceOrder::each_stream}) {
      for (unsigned seed = 1; seed <= 3; ++seed) {
        EXPECT_NO_THROW(train_in_any_order(file.points.front(), order, seed)) << input;
      }
    }
  }
}

TEST(AnyOrder, ABatchIsNotReplacedBeforeAllWorkersHaveCopiedTheirPart) {
  for (const char* inputs : {"inputs: sliced", "inputs: whole", "placement: gpu, inputs: whole",
                             "optimizer: first-gpu, inputs: whole"}) {
    const LegalPair pair{"{kind: concatenated, bucket: 200 B, " + std::string(inputs) + "}",
                         "sync"};
    for (const char* input : {
             "{kind: pipeline, decode: {time: 1 ms}, prefetch: 0}",
             "{kind: pipeline, decode: {workers: 2, time: 1 ms}, prefetch: 1}",
             "{kind: pipeline, decode: {workers: 3, time: 1 ms, each: share}, batch: concat}",
             "{kind: pipeline, decode: {workers: 2, time: 1 ms, processes: true}, prefetch: 3}",
         }) {
      const ExperimentFile file = short_training(pair, input);
      for (const DeviceOrder order : {DeviceOrder::nothing, DeviceOrder::each_stream}) {
        for (unsigned seed = 1; seed <= 5; ++seed) {
          EXPECT_NO_THROW(train_in_any_order(file.points.front(), order, seed))
              << inputs << ", " << input;
        }
      }
    }
  }
}

TEST_P(AnyOrderOfInputTest, ValidationAndCheckpointsDoNotCollideWithTraining) {
  if (!checkpoints(GetParam())) GTEST_SKIP();
  const std::string pipeline =
      "{kind: pipeline, decode: {workers: 2, time: 1 ms}, prefetch: 2, staging: 1}\n";
  std::vector<std::string> all{
      "synthetic\ncheckpoint: {every: 2, bandwidth: 1 MB/s}\noptimizer: lamb",
      pipeline + "checkpoint: {every: 1, bandwidth: 1 MB/s, asynchronous: true}\noptimizer: adam"};
  if (!scatters(GetParam())) {
    all.emplace_back("synthetic\nvalidation: {every: 2, batches: 2, batch: 3}");
    all.emplace_back("{kind: constant, items: 9}\nvalidation: {every: 2, batches: 2, batch: 3}");
    for (const char* prefetch : {"0", "1", "3"}) {
      all.push_back(pipeline +
                    "validation: {every: 2, batches: 2, batch: 6, prefetch: " + prefetch + "}");
    }
  }
  const ExperimentFile plain = short_training(GetParam());
  const bool takes_all = make_setting(plain.points.front()).plan.takes_all();
  for (const std::string& keys : all) {
    const ExperimentFile file = short_training(GetParam(), keys);
    for (const DeviceOrder order : {DeviceOrder::nothing, DeviceOrder::each_stream}) {
      for (unsigned seed = 1; seed <= 5; ++seed) {
        std::vector<float> model;
        ASSERT_NO_THROW(model = train_in_any_order(file.points.front(), order, seed)) << keys;
        const bool same = takes_all && keys.find("validation") != std::string::npos;
        if (!same) continue;
        // validation changes no weights
        const std::vector<float> right =
            train_in_any_order(plain.points.front(), DeviceOrder::nothing, 1);
        for (std::size_t i = 0; i < model.size(); ++i) ASSERT_NEAR(model[i], right[i], 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LegalPairs, AnyOrderTest, testing::ValuesIn(legal_pairs()));
INSTANTIATE_TEST_SUITE_P(LegalPairs, AnyOrderOfInputTest, testing::ValuesIn(legal_pairs()));

}  // namespace
}  // namespace paceline
