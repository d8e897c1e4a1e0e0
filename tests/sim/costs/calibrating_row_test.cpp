// SPDX-License-Identifier: MIT
// Which published row sets the cost of a point's arithmetic, and what the point then says of it.
#include "training/published/one_worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/setting.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

ExperimentPoint point_of(const std::string& lines) {
  return load_experiment_text("p.yaml", "name: p\n" + lines, {}).points.front();
}

double step_of(const ExperimentPoint& point) {
  return make_setting(point, nullptr).costs.arithmetic(0).value();
}

TEST(BatchLine, IsThatOfExactTimes) {
  const BatchLine line = fit_batch_line({{8, 0.026}, {16, 0.042}, {64, 0.138}});
  EXPECT_NEAR(line.a, 0.010, 1e-12);
  EXPECT_NEAR(line.b, 0.002, 1e-12);
  EXPECT_NEAR(line.at(128), 0.266, 1e-12);
}

TEST(BatchLine, HasNoNegativeParts) {
  // throughput that falls with the batch would make a start-up cost of less than nothing
  EXPECT_EQ(fit_batch_line({{128, 0.2198}, {256, 0.5296}}).a, 0);
  EXPECT_EQ(fit_batch_line({{8, 0.2}, {16, 0.1}}).b, 0);
  const BatchLine one = fit_batch_line({{32, 0.64}});
  EXPECT_EQ(one.a, 0);
  EXPECT_NEAR(one.b, 0.02, 1e-12);
}

TEST(OneWorker, AShippedRowOfTheSameBatchIsTakenAsItIs) {
  const ExperimentPoint point =
      point_of("model: resnet50\nmachine: dgx1-p100\nbatch: 64\nworkers: 4\n");
  ASSERT_TRUE(point.one_worker);
  EXPECT_TRUE(point.one_worker->shipped);
  EXPECT_EQ(point.one_worker->throughput, 219);
  EXPECT_EQ(point.one_worker->aggregation, "parameter-server");
  EXPECT_NEAR(step_of(point), 64 / 219.0, 1e-12);
  const LayerTimes times = make_setting(point, nullptr).layer_times;
  EXPECT_EQ(times.word(), "published");
  EXPECT_FALSE(times.estimated());
  EXPECT_EQ(times.sentence,
            "published: 219 items/s of one worker at batch 64 on Tesla P100 SXM2 16 GB with "
            "tensorflow-1 (tf-dgx1-p100.csv:19, tensorflow/tensorflow@5984ffef "
            "tensorflow/docs_src/performance/benchmarks.md (May 2017))");
}

TEST(OneWorker, AnotherBatchIsOnTheLineOfThoseMeasured) {
  // 32 / 195 and 64 / 219 s lie on t = 35.97 ms + 4.004 ms x batch
  const ExperimentPoint point =
      point_of("model: resnet50\nmachine: dgx1-p100\nbatch: 128\nworkers: 2\n");
  ASSERT_TRUE(point.one_worker);
  EXPECT_NEAR(128 / point.one_worker->throughput, 2 * 64 / 219.0 - (2 * 32 / 195.0 - 64 / 219.0),
              1e-9);
  EXPECT_THAT(point.one_worker->sentence,
              HasSubstr("233.4 items/s of one worker at batch 128, from 219 items/s"));
  EXPECT_THAT(point.one_worker->sentence,
              HasSubstr("along 36 ms + 4 ms x batch, fitted to its 2 batches"));
}

TEST(OneWorker, OneBatchAloneIsCarriedOnAlongTheRoofline) {
  const std::string lines = "model: overfeat\nmachine: az-2x-m60\nworkers: 2\nbatch: ";
  const ExperimentPoint known = point_of(lines + "32\n");
  const ExperimentPoint other = point_of(lines + "64\n");
  const double roofline = step_of(point_of(lines + "64\nlayer_times: roofline\n")) /
                          step_of(point_of(lines + "32\nlayer_times: roofline\n"));
  EXPECT_EQ(known.one_worker->throughput, 235.57);
  EXPECT_NEAR(step_of(other) / step_of(known), roofline, 1e-9);
  EXPECT_THAT(other.one_worker->sentence, HasSubstr("along the roofline, the one batch there is"));
}

TEST(OneWorker, RowsOfTheExperimentsSoftwareComeFirst) {
  // the row of batch 16 is MXNet's, on this GPU
  const std::string lines = "model: resnet50\nmachine: dgx1-p100\nbatch: 16\n";
  EXPECT_EQ(point_of(lines).one_worker->throughput, 156.79);
  EXPECT_THAT(point_of(lines).one_worker->sentence, HasSubstr("with mxnet (mxnet-one-gpu.csv:"));
  EXPECT_THAT(point_of(lines + "software: tensorflow-1\n").one_worker->sentence,
              HasSubstr("from 195 items/s of one worker at batch 32"));
  // of two stacks with just this batch, the fastest
  EXPECT_EQ(point_of("model: resnet50\nmachine: dgx1-p100\n").one_worker->throughput, 195);
}

TEST(OneWorker, NothingIsSaidOfAnotherArithmetic) {
  const auto has = [](const std::string& lines) { return point_of(lines).one_worker.has_value(); };
  EXPECT_TRUE(has("model: resnet50\nmachine: dgx1-p100\n"));
  EXPECT_FALSE(has("model: resnet50\nmachine: dgx1-v100\n")) << "another GPU";
  EXPECT_FALSE(has("model: resnet101\nmachine: dgx1-p100\n")) << "another network";
  EXPECT_FALSE(has("model: resnet50\nmachine: dgx1-p100\nprecision: fp16\n"));
  EXPECT_FALSE(has("model: resnet50\nmachine: ideal\n"));
  EXPECT_FALSE(has("model: resnet50\n")) << "this computer is measured";
  EXPECT_FALSE(has("model: resnet50\nmachine: dgx1-p100\nlayer_times: roofline\n"));
  EXPECT_TRUE(has("model: cifar10_resnet20\nmachine: az-2x-m60\nbatch: 128\nlayout: NHWC\n"));
}

TEST(OneWorker, TheLayoutPicksTheRow) {
  const std::string lines = "model: cifar10_resnet20\nmachine: az-2x-m60\nbatch: 128\n";
  EXPECT_EQ(point_of(lines).one_worker->throughput, 3250.52);
  EXPECT_EQ(point_of(lines + "layout: NHWC\n").one_worker->throughput, 2209.69);
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
  const Setting setting = make_setting(point_of(lines), nullptr);
  const double first = setting.costs.arithmetic(0).value();
  EXPECT_EQ(setting.costs.arithmetic(5).value(), first);
  EXPECT_LT(setting.costs.arithmetic(6).value(), 0.9 * first) << "a GTX 1080 among GTX 1070";
  EXPECT_THAT(setting.layer_times.sentence,
              HasSubstr("workers on other GPUs than GeForce GTX 1070 by the ratio of their "
                        "rooflines"));
  EXPECT_NEAR(make_setting(point_of(lines + "stragglers: {workers: {6: {slowdown: 2}}}\n"), nullptr)
                  .costs.arithmetic(6)
                  .value(),
              2 * setting.costs.arithmetic(6).value(), 1e-12);
}

TEST(Setting, AnOptimizersStateCostsMemoryTraffic) {
  const auto update = [](const std::string& optimizer) {
    return make_setting(
               point_of("model: resnet50\nmachine: dgx1-v100\noptimizer: " + optimizer + "\n"),
               nullptr)
        .costs.worker_update;
  };
  EXPECT_NEAR(update("momentum") / update("sgd"), 5.0 / 3, 1e-12);
  EXPECT_NEAR(update("adam") / update("sgd"), 7.0 / 3, 1e-12);
}

TEST(LayerTimes, SayWhereTheyComeFrom) {
  const auto times = [](const std::string& lines) {
    return make_setting(point_of(lines), nullptr).layer_times;
  };
  const LayerTimes v100 = times("model: resnet50\nmachine: dgx1-v100\n");
  EXPECT_EQ(v100.word(), "efficiency");
  EXPECT_TRUE(v100.estimated());
  EXPECT_EQ(v100.sentence,
            "roofline estimate with the efficiencies of the GPU's file, not measured (roofline "
            "estimates have been off by up to a factor of 2.5)");
  EXPECT_EQ(times("model: resnet50\nmachine: dgx1-p100\nlayer_times: roofline\n").word(),
            "efficiency");
  const LayerTimes given = times("model: synthetic\nmachine: dgx1-p100\n");
  EXPECT_EQ(given.word(), "given");
  EXPECT_EQ(given.sentence, "given by the experiment");
  EXPECT_EQ(times("model: resnet50\nmachine: ideal\n").word(), "given");
  EXPECT_EQ(make_setting_without_costs(point_of("model: resnet50\n")).layer_times.word(), "");
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

}  // namespace
}  // namespace paceline
