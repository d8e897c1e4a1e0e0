// SPDX-License-Identifier: MIT
#include "training/results/published/published_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/gpu.hpp"

namespace paceline {
namespace {

PublishedTable table(const std::string& rows) {
  return PublishedTable::parse("t.csv", rows);
}

Tree point(const std::string& yaml) {
  return parse_yaml("p.yaml", yaml);
}

std::string error_of(const std::string& rows) {
  try {
    table(rows);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(PublishedTable, MayHoldTheStagesOfProfiledSteps) {
  const PublishedTable stages =
      table("model,workers,stage.computation,stage.merge\nresnet50,1,250,\nresnet50,2,300,20\n");
  const auto one = stages.find(point("{model: resnet50, workers: 1}"));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->stages, (std::map<std::string, Seconds>{{"computation", Seconds{0.25}}}));
  EXPECT_EQ(stages.find(point("{model: resnet50, workers: 2}"))->stages.at("merge").value(), 0.02);
  EXPECT_FALSE(stages.find_base(point("{model: resnet50, workers: 2}"), nullptr))
      << "a row without a throughput gives no cost";
  EXPECT_EQ(error_of("model,stage.reading\nresnet50,1\n"),
            "t.csv:1:1: error: 'stage.reading' is no stage (known: computation, merge, update)");
  EXPECT_EQ(error_of("model,stage.merge\nresnet50,-1\n"),
            "t.csv:2:1: error: stage.merge '-1' is not a number > 0");
}

TEST(PublishedTable, NeedsAThroughput) {
  EXPECT_EQ(error_of("model,workers,source\nresnet50,1,a page\n"),
            "t.csv:1:1: error: no column 'throughput'");
  EXPECT_EQ(error_of("# a comment\nmodel,workers\nresnet50,1\n"),
            "t.csv:2:1: error: no column 'throughput'");
  EXPECT_EQ(error_of("model,throughput\nresnet50,0\n"),
            "t.csv:2:1: error: throughput '0' is not a number > 0");
  EXPECT_EQ(error_of("model,throughput\nresnet50\n"),
            "t.csv:2:1: error: expected 2 fields, found 1");
}

TEST(PublishedTable, FindsTheRowOfAPointsKeys) {
  const PublishedTable rows = table(
      "model,workers,throughput,source\nresnet50,1,100,a page\nresnet50,4,390,\"one, two\"\n");
  const auto found = rows.find(point("{model: resnet50, workers: 4}"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->throughput, 390);
  EXPECT_EQ(found->source, "one, two");
  EXPECT_EQ(found->line, 3);
  EXPECT_FALSE(rows.find(point("{model: vgg16, workers: 4}")));
}

TEST(PublishedTable, GpuAndSoftwareAreNoKeys) {
  const PublishedTable rows = table(
      "model,workers,gpu,software,throughput\nresnet50,1,Tesla P100 SXM2 16 GB,tensorflow-1,100\n");
  const GpuSpec p100 = load_gpu(Tree::scalar("p100-sxm2"));
  const GpuSpec v100 = load_gpu(Tree::scalar("v100-sxm2"));
  const Tree one = point("{model: resnet50, workers: 1, software: native}");
  EXPECT_EQ(rows.find(one, &p100).value().software, "tensorflow-1");
  EXPECT_FALSE(rows.find(one, &v100)) << "a row of another GPU";
  EXPECT_TRUE(rows.find(one)) << "a GPU that is not known refuses no row";
}

TEST(PublishedTable, AOneWorkerRowIsABaseWhateverTheUpdate) {
  const PublishedTable rows = table(
      "model,batch,aggregation,workers,throughput\n"
      "resnet50,64,parameter-server,1,200\n"
      "resnet50,64,independent,1,210\n"
      "resnet50,64,independent,2,420\n"
      "resnet50,32,independent,1,180\n");
  const auto base = [&](const std::string& yaml) { return rows.find_base(point(yaml), nullptr); };
  const auto ring = base("{model: resnet50, batch: 64, workers: 8, aggregation: allreduce}");
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->throughput, 210) << "the fastest: it holds the least beside the arithmetic";
  EXPECT_EQ(ring->aggregation, "independent");
  EXPECT_EQ(
      base("{model: resnet50, batch: 64, workers: 8, aggregation: parameter-server}")->throughput,
      200)
      << "its own row comes first";
  const auto nearest = base("{model: resnet50, batch: 16, workers: 8, aggregation: allreduce}");
  ASSERT_TRUE(nearest);
  EXPECT_EQ(nearest->throughput, 180) << "of the nearest batch";
  EXPECT_EQ(nearest->batch, 32);
  EXPECT_FALSE(base("{model: vgg16, batch: 64, workers: 8, aggregation: allreduce}"));
}

TEST(PublishedTable, ABaseRowKnowsWhereItsUpdatesAre) {
  const PublishedTable rows = table(
      "aggregation,aggregation.placement,workers,throughput\n"
      "parameter-server,gpu,1,200\n"
      "parameter-server,cpu,2,300\n"
      "independent,,2,390\n");
  const auto base = rows.find_base(
      point("{workers: 2, aggregation: {kind: parameter-server, placement: cpu}}"), nullptr);
  ASSERT_TRUE(base);
  EXPECT_EQ(base->aggregation, "parameter-server");
  EXPECT_EQ(base->aggregation_keys, (std::map<std::string, std::string>{{"placement", "gpu"}}));
  const auto none = rows.find(point("{workers: 2, aggregation: independent}"));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->aggregation_keys.empty());
}

TEST(PublishedTable, WithoutARowOfOneWorkerThatOfTheFewestIsTheBase) {
  const PublishedTable rows = table(
      "model,batch,workers,update.accumulate,throughput\n"
      "resnet50,64,16,2,3000\n"
      "resnet50,128,8,4,1600\n"
      "inception3,64,1,1,100\n"
      "vgg16,64,16,1,1000\n");
  const auto base = [&](const std::string& yaml) { return rows.find_base(point(yaml), nullptr); };
  const auto eight = base("{model: resnet50, batch: 64, workers: 16}");
  ASSERT_TRUE(eight);
  EXPECT_EQ(eight->workers, 8);
  EXPECT_EQ(eight->batch, 128);
  EXPECT_EQ(eight->accumulate, 4);
  const std::string own = "{model: vgg16, batch: 64, workers: 16}";
  EXPECT_FALSE(base(own)) << "it would hide its own error";
  const auto more = base("{model: vgg16, batch: 64, workers: 32}");
  ASSERT_TRUE(more) << "it is the only one, of another point";
  EXPECT_EQ(more->workers, 16);
}

TEST(PublishedTable, APointsOwnRowComesFirstAmongThoseOfTheFewestWorkers) {
  const PublishedTable rows = table(
      "aggregation,workers,throughput\n"
      "parameter-server,4,300\n"
      "allreduce,4,350\n"
      "allreduce,8,600\n");
  const auto base = [&](const std::string& yaml) { return rows.find_base(point(yaml), nullptr); };
  EXPECT_EQ(base("{workers: 4, aggregation: parameter-server}")->throughput, 300);
  EXPECT_EQ(base("{workers: 8, aggregation: allreduce}")->throughput, 350);
  EXPECT_EQ(base("{workers: 8, aggregation: gather}")->throughput, 350) << "the fastest";
}

TEST(PublishedTable, WithoutAColumnRowsAddUpAsManyMiniBatchesAsThePoint) {
  const PublishedTable without = table("workers,throughput\n1,100\n8,700\n");
  const auto accumulate = [](const PublishedTable& rows, const std::string& yaml) {
    return rows.find_base(point(yaml), nullptr)->accumulate;
  };
  EXPECT_EQ(accumulate(without, "{workers: 8, update: {kind: sync, accumulate: 8}}"), 8);
  EXPECT_EQ(accumulate(without, "{workers: 8, update: sync}"), 1);
  const PublishedTable with =
      table("workers,update.accumulate,throughput\n1,4,100\n8,1,700\n8,2,750\n");
  EXPECT_EQ(accumulate(with, "{workers: 8, update: {kind: sync, accumulate: 2}}"), 4);
  EXPECT_EQ(with.find(point("{workers: 8, update: sync}"))->throughput, 700);
}

}  // namespace
}  // namespace paceline
