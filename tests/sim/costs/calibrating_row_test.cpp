// SPDX-License-Identifier: MIT
// The published row that sets the cost of a point's arithmetic, and the point's report of it.
#include "sim/costs/calibrating_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/costs/prediction.hpp"
#include "training/experiment/setting.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

ExperimentPoint point_of(const std::string& lines) {
  return load_experiment_text("p.yaml", "name: p\n" + lines, {}).points.front();
}

double step_of(const ExperimentPoint& point) {
  return make_prediction(point, nullptr).costs.arithmetic(0).value();
}

TEST(BatchLine, IsThatOfExactTimes) {
  const BatchLine line = fit_batch_line({{8, 0.026}, {16, 0.042}, {64, 0.138}});
  EXPECT_NEAR(line.a, 0.010, 1e-12);
  EXPECT_NEAR(line.b, 0.002, 1e-12);
  EXPECT_NEAR(line.at(128), 0.266, 1e-12);
}

TEST(BatchLine, HasNoNegativeParts) {
  // A throughput that falls with the batch would give a negative start-up cost.
  EXPECT_EQ(fit_batch_line({{128, 0.2198}, {256, 0.5296}}).a, 0);
  EXPECT_EQ(fit_batch_line({{8, 0.2}, {16, 0.1}}).b, 0);
  const BatchLine one = fit_batch_line({{32, 0.64}});
  EXPECT_EQ(one.a, 0);
  EXPECT_NEAR(one.b, 0.02, 1e-12);
}

TEST(CostRow, AShippedRowOfTheSameBatchIsTakenAsItIs) {
  const ExperimentPoint point =
      point_of("model: resnet50\nmachine: dgx1-p100\nbatch: 64\nworkers: 4\n");
  const auto row = calibrating_row(point);
  ASSERT_TRUE(row);
  EXPECT_TRUE(row->shipped);
  EXPECT_EQ(row->throughput, 219);
  EXPECT_EQ(row->aggregation, "parameter-server");
  EXPECT_NEAR(step_of(point), 64 / 219.0, 1e-12);
  const LayerTimes times = make_prediction(point, nullptr).layer_times;
  EXPECT_EQ(times.word(), "published");
  EXPECT_FALSE(times.estimated());
  EXPECT_EQ(times.sentence,
            "published: 219 items/s of one worker at batch 64 on Tesla P100 SXM2 16 GB with "
            "tensorflow-1 (tf-dgx1-p100.csv:19, tensorflow/tensorflow@5984ffef "
            "tensorflow/docs_src/performance/benchmarks.md (May 2017))");
}

TEST(CostRow, AnotherBatchIsOnTheLineOfThoseMeasured) {
  // 32 / 195 and 64 / 219 s lie on t = 35.97 ms + 4.004 ms x batch.
  const ExperimentPoint point =
      point_of("model: resnet50\nmachine: dgx1-p100\nbatch: 128\nworkers: 2\n");
  const auto row = calibrating_row(point);
  ASSERT_TRUE(row);
  EXPECT_NEAR(128 / row->throughput, 2 * 64 / 219.0 - (2 * 32 / 195.0 - 64 / 219.0), 1e-9);
  EXPECT_THAT(row->sentence,
              HasSubstr("233.4 items/s of one worker at batch 128, from 219 items/s"));
  EXPECT_THAT(row->sentence, HasSubstr("along 36 ms + 4 ms x batch, fitted to its 2 batches"));
}

TEST(CostRow, OneBatchAloneIsCarriedOnAlongTheRoofline) {
  const std::string lines = "model: overfeat\nmachine: az-2x-m60\nworkers: 2\nbatch: ";
  const ExperimentPoint known = point_of(lines + "32\n");
  const ExperimentPoint other = point_of(lines + "64\n");
  const double roofline = step_of(point_of(lines + "64\nlayer_times: roofline\n")) /
                          step_of(point_of(lines + "32\nlayer_times: roofline\n"));
  EXPECT_EQ(calibrating_row(known)->throughput, 235.57);
  EXPECT_NEAR(step_of(other) / step_of(known), roofline, 1e-9);
  EXPECT_THAT(calibrating_row(other)->sentence,
              testing::AllOf(HasSubstr(" items/s of one worker's arithmetic at batch 64, from "),
                             HasSubstr("along the roofline, the one batch there is")));
}

TEST(CostRow, RowsOfTheExperimentsSoftwareComeFirst) {
  // The row of batch 16 is MXNet's, on this GPU.
  const std::string lines = "model: resnet50\nmachine: dgx1-p100\nbatch: 16\n";
  EXPECT_EQ(calibrating_row(point_of(lines))->throughput, 156.79);
  EXPECT_THAT(calibrating_row(point_of(lines))->sentence,
              HasSubstr("with mxnet (one-gpu-mxnet.csv:"));
  EXPECT_THAT(calibrating_row(point_of(lines + "software: tensorflow-1\n"))->sentence,
              HasSubstr("from 195 items/s of one worker at batch 32"));
  // Of two stacks with exactly this batch, the faster.
  EXPECT_EQ(calibrating_row(point_of("model: resnet50\nmachine: dgx1-p100\n"))->throughput, 195);
}

TEST(CostRow, HasNoRowForAnotherArithmetic) {
  const auto has = [](const std::string& lines) {
    return calibrating_row(point_of(lines)).has_value();
  };
  EXPECT_TRUE(has("model: resnet50\nmachine: dgx1-p100\n"));
  EXPECT_FALSE(has("model: resnet50\nmachine: dgx1-v100\n")) << "another GPU";
  EXPECT_FALSE(has("model: resnet101\nmachine: dgx1-p100\n")) << "another network";
  EXPECT_FALSE(has("model: resnet50\nmachine: dgx1-p100\nprecision: fp16\n"));
  EXPECT_FALSE(has("model: resnet50\nmachine: ideal\n"));
  EXPECT_FALSE(has("model: resnet50\n")) << "this computer is measured";
  EXPECT_FALSE(has("model: resnet50\nmachine: dgx1-p100\nlayer_times: roofline\n"));
  EXPECT_TRUE(has("model: cifar10_resnet20\nmachine: az-2x-m60\nbatch: 128\nlayout: NHWC\n"));
}

TEST(CostRow, TheLayoutPicksTheRow) {
  const std::string lines = "model: cifar10_resnet20\nmachine: az-2x-m60\nbatch: 128\n";
  EXPECT_EQ(calibrating_row(point_of(lines))->throughput, 3250.52);
  EXPECT_EQ(calibrating_row(point_of(lines + "layout: NHWC\n"))->throughput, 2209.69);
}

TEST(LayerTimes, OfRooflineAreNotCalibratedByATable) {
  try {
    load_experiment_text(PACELINE_SOURCE_DIR "/experiments/published/p.yaml",
                         "name: p\nmodel: resnet50\nmachine: dgx1-p100\nlayer_times: roofline\n"
                         "published: {table: tf-dgx1-p100.csv, calibrate: true}\n",
                         {});
    FAIL() << "nothing was thrown";
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(), HasSubstr("p.yaml:4:14: error: 'layer_times: roofline' and "
                                        "'published: calibrate' exclude each other"));
  }
}

TEST(Setting, EachWorkerTakesWhatItsGpuTakes) {
  const std::string lines = "model: resnet101\nmachine: 7gforce\nbatch: 16\nworkers: 7\n";
  const Prediction setting = make_prediction(point_of(lines), nullptr);
  const double first = setting.costs.arithmetic(0).value();
  EXPECT_EQ(setting.costs.arithmetic(5).value(), first);
  EXPECT_LT(setting.costs.arithmetic(6).value(), 0.9 * first) << "a GTX 1080 among GTX 1070";
  EXPECT_THAT(setting.layer_times.sentence,
              HasSubstr("workers on other GPUs than GeForce GTX 1070 by the ratio of their "
                        "estimates"));
  EXPECT_NEAR(
      make_prediction(point_of(lines + "stragglers: {workers: {6: {slowdown: 2}}}\n"), nullptr)
          .costs.arithmetic(6)
          .value(),
      2 * setting.costs.arithmetic(6).value(), 1e-12);
}

/// A machine of two GTX 1070 with these keys of the second.
std::string two_gtx1070(const std::string& second) {
  return "machine: {gpus: [{model: gtx1070}, {model: gtx1070, " + second +
         "}], host: {cores: 8, memory_bandwidth: 50 GB/s}, link_types: {x16: {kind: pcie, "
         "bandwidth: 16 GB/s, source: test}}, links: [{type: x16, from: cpu0, to: [gpu0, "
         "gpu1]}]}\n";
}

// Half the clock doubles what products take, and not what memory takes.
TEST(Setting, AGpusClockIsThatOfItsArithmetic) {
  const std::string lines = "model: vgg16\nbatch: 32\nlayer_times: roofline\n";
  const auto seconds = [&](const std::string& clock, int gpu) {
    return step_of(point_of(lines + two_gtx1070(clock) + "gpus: [" + std::to_string(gpu) + "]\n"));
  };
  const double full = seconds("clock: 100 %", 1);
  EXPECT_EQ(seconds("clock: 50 %", 0), full);
  EXPECT_GT(seconds("clock: 50 %", 1), 1.8 * full);
  EXPECT_LT(seconds("clock: 50 %", 1), 2 * full);
  EXPECT_LT(seconds("clock: 105 %", 1), full);
  const Prediction both =
      make_prediction(point_of(lines + two_gtx1070("clock: 50 %") + "workers: 2\n"), nullptr);
  EXPECT_NEAR(both.costs.slowdown[1], seconds("clock: 50 %", 1) / full, 1e-12);
  EXPECT_EQ(both.costs.slowdown[0], 1);
}

// A shipped row is of a GPU at its model's clock.
TEST(CostRow, AnotherClockIsAlongTheEstimate) {
  const std::string lines = "model: inception3\nbatch: 32\nsoftware: tensorflow-1\n";
  const ExperimentPoint slower = point_of(lines + two_gtx1070("clock: 50 %") + "gpus: [1]\n");
  const auto row = calibrating_row(slower);
  ASSERT_TRUE(row);
  const auto estimate = [&](int gpu) {
    return step_of(point_of(lines + two_gtx1070("clock: 50 %") + "layer_times: roofline\ngpus: [" +
                            std::to_string(gpu) + "]\n"));
  };
  EXPECT_NEAR(row->throughput, 78.44 * estimate(0) / estimate(1), 1e-9);
  EXPECT_THAT(row->sentence,
              HasSubstr("items/s of a worker's arithmetic at 50 % of its GPU's clock, along the "
                        "estimate from 78.44 items/s of one worker at batch 32"));
}

TEST(Setting, AnOptimizersStateCostsMemoryTraffic) {
  const auto update = [](const std::string& optimizer) {
    return make_prediction(
               point_of("model: resnet50\nmachine: dgx1-v100\noptimizer: " + optimizer + "\n"),
               nullptr)
        .costs.worker_update;
  };
  EXPECT_NEAR(update("momentum") / update("sgd"), 5.0 / 3, 1e-12);
  EXPECT_NEAR(update("adam") / update("sgd"), 7.0 / 3, 1e-12);
}

TEST(LayerTimes, SayWhereTheyComeFrom) {
  const auto times = [](const std::string& lines) {
    return make_prediction(point_of(lines), nullptr).layer_times;
  };
  const LayerTimes v100 = times("model: resnet50\nmachine: dgx1-v100\n");
  EXPECT_EQ(v100.word(), "efficiency");
  EXPECT_TRUE(v100.estimated());
  EXPECT_EQ(v100.sentence,
            "estimated with the efficiencies of the GPU's file, not measured (on published rows "
            "that no constant was fitted on: median error 5 %, 95th percentile 20 %)");
  EXPECT_EQ(times("model: resnet50\nmachine: dgx1-p100\nlayer_times: roofline\n").word(),
            "efficiency");
  const LayerTimes given = times("model: synthetic\nmachine: dgx1-p100\n");
  EXPECT_EQ(given.word(), "given");
  EXPECT_EQ(given.sentence, "given by the experiment");
  EXPECT_EQ(times("model: resnet50\nmachine: ideal\n").word(), "given");
  EXPECT_EQ(Prediction().layer_times.word(), "") << "nothing was timed";
}

TEST(LayerTimes, OfAGpuWithoutSharesAreABareRoofline) {
  LayerTime bare;
  bare.forward = Seconds{1};
  LayerTime shared = bare;
  shared.source = CostSource::efficiency;
  EXPECT_EQ(source_of({bare, bare, shared}, "").word(), "roofline");
  EXPECT_EQ(source_of({bare, shared, shared}, "").word(), "efficiency");
  shared.source = CostSource::profile;
  const LayerTimes measured = source_of({shared}, "2026-11-20");
  EXPECT_EQ(measured.word(), "measured");
  EXPECT_EQ(measured.sentence, "measured on this computer's GPU (profile of 2026-11-20)");
}

TEST(CostRow, ARowOfAnotherBatchIsCarriedOnAlongTheEstimate) {
  const std::string lines = "model: resnet50\nmachine: dgx1-p100\nworkers: 2\nbatch: ";
  const auto estimate = [&](int batch) {
    return step_of(point_of(lines + std::to_string(batch) + "\nlayer_times: roofline\n"));
  };
  ExperimentPoint point = point_of(lines + "16\n");
  point.own_row.emplace();
  point.own_row->throughput = 200;
  point.own_row->batch = 64;
  point.own_row->sentence = "published: a row";
  const auto row = calibrating_row(point);
  ASSERT_TRUE(row);
  EXPECT_NEAR(16 / row->throughput, 64 / 200.0 * estimate(16) / estimate(64), 1e-9);
  EXPECT_THAT(row->sentence,
              HasSubstr("items/s of a worker's arithmetic at batch 16, along the estimate "
                        "from a row"));
}

// The two dies of a board share its power; a single one has all of it.
TEST(Setting, DiesOfABoardSlowEachOther) {
  const auto slowdown = [](const std::string& keys) {
    return make_prediction(point_of("model: resnet50\nmachine: p2-8xlarge-k80\n" + keys), nullptr)
        .costs.slowdown;
  };
  EXPECT_EQ(slowdown("workers: 1\n"), std::vector<double>{1});
  const double shared = 1 / 0.965;  // the board_clock of a K80
  EXPECT_EQ(slowdown("workers: 3\n"), (std::vector<double>{shared, shared, 1}));
  EXPECT_EQ(slowdown("workers: 2\ngpus: [0, 2]\n"), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace paceline
