// SPDX-License-Identifier: MIT
// The arithmetic of a point with a published one-worker throughput: that of one mini-batch, for
// every update policy of the point and every aggregation of the row.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

double matched_step_s(const std::string& lines, const std::string& path = "p.yaml") {
  const ExperimentFile file = load_experiment_text(
      path, "name: p\nmodel: resnet50\nmachine: dgx1-p100\nbatch: 64\n" + lines, {});
  return matched_to_published(make_prediction(file.points.front(), nullptr))
      .costs.arithmetic(0)
      .value();
}

TEST(PublishedMatch, IsOfOneMiniBatchWhateverTheUpdate) {
  const std::string shipped = "software: tensorflow-1\nworkers: 8\naggregation: parameter-server\n";
  const double sync = matched_step_s(shipped + "update: sync\n");
  EXPECT_GT(sync, 0.8 * 64 / 219);
  EXPECT_LE(sync, 64 / 219.0) << "the row's step holds an update besides";
  for (const char* update :
       {"{kind: local-sgd, every: 8}", "{kind: k-sync, k: 4}", "{kind: k-async, k: 4}",
        "{kind: k-batch-async, k: 4}", "{kind: downpour, push_every: 8}", "async"}) {
    // Within the step's own variation, because another number of steps is simulated.
    EXPECT_NEAR(matched_step_s(shipped + "update: " + update + "\n"), sync, 0.01 * sync) << update;
  }
}

TEST(PublishedMatch, ARowOfAnotherProgramsAggregationIsArithmeticAlone) {
  const fs::path folder = fs::path(testing::TempDir()) / "published_match";
  fs::create_directories(folder);
  std::ofstream(folder / "rows.csv")
      << "workers,aggregation,throughput\n1,horovod,100\n2,allreduce,190\n";
  const double step =
      matched_step_s("workers: 2\naggregation: allreduce\npublished: {table: rows.csv}\n",
                     (folder / "p.yaml").string());
  EXPECT_GT(step, 0.9 * 64 / 100);
  EXPECT_LE(step, 64 / 100.0);
}

// The row's update is where the table says: kernels of an update on the GPU are a part of its step,
// whatever the point's own servers are on.
TEST(PublishedMatch, KernelsOfTheRowsUpdateAreWhereTheTableSays) {
  const fs::path folder = fs::path(testing::TempDir()) / "published_match";
  fs::create_directories(folder);
  std::ofstream(folder / "kernels.csv")
      << "workers,aggregation,aggregation.placement,throughput\n1,parameter-server,sharded-gpus,"
         "100\n"
         "2,parameter-server,sharded-gpus,190\n2,parameter-server,cpu,190\n2,independent,,190\n";
  const auto step = [&](const std::string& aggregation) {
    return matched_step_s("workers: 2\naggregation: " + aggregation +
                              "\nsoftware: {kernels: {launch: 100 us, of_update: 1}}\n"
                              "published: {table: kernels.csv}\n",
                          (folder / "p.yaml").string());
  };
  const double sharded = step("{kind: parameter-server, placement: sharded-gpus, bucket: 1 B}");
  EXPECT_LT(sharded, 64 / 100.0 - 100 * 100e-6) << "without the kernels of 161 tensors";
  EXPECT_NEAR(step("{kind: parameter-server, placement: cpu, bucket: 1 B}"), sharded,
              0.003 * sharded);
  EXPECT_NEAR(step("independent"), sharded, 0.003 * sharded);
}

// The row was measured with the weights on the GPU, where one worker copies nothing over links, and
// sets the arithmetic of points that have them on the CPU.
TEST(PublishedMatch, TheRowsUpdateIsWhereTheTableSays) {
  const fs::path folder = fs::path(testing::TempDir()) / "published_match";
  fs::create_directories(folder);
  std::ofstream(folder / "places.csv") << "workers,aggregation,aggregation.placement,throughput\n"
                                          "1,parameter-server,gpu,100\n";
  const auto step_s = [&](const std::string& placement) {
    return matched_step_s("workers: 2\naggregation: {kind: parameter-server, placement: " +
                              placement + "}\npublished: {table: places.csv}\n",
                          (folder / "p.yaml").string());
  };
  EXPECT_GT(step_s("gpu"), 0.98 * 64 / 100);
  EXPECT_LE(step_s("gpu"), 64 / 100.0);
  EXPECT_NEAR(step_s("cpu"), step_s("gpu"), 1e-4);
}

// Where a table has no row of one worker, that of its fewest is simulated as it was measured.
TEST(PublishedMatch, ARowOfSeveralWorkersIsReached) {
  const fs::path folder = fs::path(testing::TempDir()) / "published_match";
  fs::create_directories(folder);
  std::ofstream(folder / "eight.csv") << "workers,batch,update.accumulate,throughput\n"
                                         "8,64,4,1500\n"
                                         "16,32,1,2000\n";
  const auto point_of = [&](const std::string& lines) {
    return load_experiment_text(
        (folder / "p.yaml").string(),
        "name: p\nmodel: resnet50\nsoftware: {gpu_variation: 15 %, collective: {model: "
        "nccl}}\naggregation: {kind: allreduce, algorithm: "
        "nccl}\npublished: {table: eight.csv}\nsteps: 40\n" +
            lines,
        {});
  };
  const ExperimentFile eight =
      point_of("workers: 8\nbatch: 64\nupdate: {kind: sync, accumulate: 4}\nmachine: dgx1-p100\n");
  const Prediction one = matched_to_published(make_prediction(eight.points.front(), nullptr));
  EXPECT_NEAR(*simulate(one).throughput, 1500, 1);
  const ExperimentFile sixteen = point_of(
      "workers: 16\nbatch: 32\nmachine: {of: dgx1-p100, count: 2, network: ethernet-50g}\n");
  const Prediction other = matched_to_published(make_prediction(sixteen.points.front(), nullptr));
  // half of the items take more than half of the time
  const double ratio = other.costs.forward_total() / one.costs.forward_total();
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 0.7);
}

}  // namespace
}  // namespace paceline
