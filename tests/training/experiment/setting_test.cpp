// SPDX-License-Identifier: MIT
// The properties of aggregations and policies reach the setting of a point.
#include "training/experiment/setting.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

ExperimentPoint point_of(const std::string& lines) {
  const std::string text = "name: p\nmodel: {kind: mlp, inputs: 4, hidden: [8], classes: 2}\n";
  const std::string machine = lines.find("machine") == std::string::npos ? "machine: ideal\n" : "";
  return load_experiment_text("p.yaml", text + machine + lines, {}).points.front();
}

TEST(Setting, HasThePlanThatItsAggregationStates) {
  for (const auto& row : family<Aggregation>().rows) {
    const ExperimentPoint point = point_of("workers: 2\naggregation: " + row.name + "\n");
    const Setting setting = make_setting(point);
    const std::shared_ptr<const Aggregation> aggregation = row.blank();
    EXPECT_EQ(setting.plan.survives_deaths(), aggregation->survives_deaths()) << row.name;
    EXPECT_EQ(setting.counting.independent, !aggregation->exchanges()) << row.name;
    EXPECT_EQ(point.experiment.update.has_value(), !updates_served(*aggregation).empty())
        << row.name;
  }
}

TEST(Setting, APolicyMayHaveADefaultOptimizer) {
  const auto optimizer_of = [](const std::string& lines) {
    return point_of(lines).experiment.optimizer.kind();
  };
  EXPECT_EQ(optimizer_of("update: downpour\n"), "adagrad");
  EXPECT_EQ(optimizer_of("update: downpour\noptimizer: sgd\n"), "sgd");
  EXPECT_EQ(optimizer_of("update: async\n"), "sgd");
  EXPECT_EQ(optimizer_of("aggregation: independent\n"), "sgd");
}

TEST(Setting, In16BitsTheUsualLayoutIsThatOfTensorCores) {
  const auto layout_of = [](const std::string& lines) { return point_of(lines).experiment.layout; };
  EXPECT_EQ(layout_of(""), Layout::nchw);
  EXPECT_EQ(layout_of("machine: dgx1-v100\nprecision: fp16\n"), Layout::nhwc);
  EXPECT_EQ(layout_of("machine: dgx1-v100\nprecision: fp16\nlayout: NCHW\n"), Layout::nchw);
  EXPECT_EQ(layout_of("machine: dgx-a100\nprecision: bf16\n"), Layout::nhwc);
  EXPECT_EQ(layout_of("machine: dgx-a100\nprecision: tf32\n"), Layout::nchw);
}

// PyTorch's users have DistributedDataParallel, those of TensorFlow 1 servers.
TEST(Setting, SoftwareThatAllReducesDoesSoByDefault) {
  const auto algorithm_of = [](const std::string& lines) -> std::string {
    const ExperimentPoint point = point_of("workers: 2\n" + lines);
    const AllReduce* all_reduce = point.experiment.aggregation->all_reduce();
    if (all_reduce == nullptr) return point.experiment.aggregation.kind();
    return all_reduce->native() ? "nccl" : "of its own";
  };
  EXPECT_EQ(algorithm_of("machine: dgx1-v100\nsoftware: pytorch\n"), "nccl");
  EXPECT_EQ(algorithm_of("machine: dgx1-v100\nsoftware: pytorch\ndevices: {virtual: 2}\n"),
            "of its own");
  EXPECT_EQ(algorithm_of("software: pytorch\n"), "of its own") << "there are no GPUs";
  const std::string written = "machine: dgx1-v100\naggregation: allreduce\n";
  EXPECT_EQ(algorithm_of(written + "software: pytorch\n"), "nccl");
  EXPECT_EQ(algorithm_of(written), "of its own") << "software native has no all-reduce of its own";
  EXPECT_EQ(algorithm_of("machine: dgx1-v100\nsoftware: pytorch\n"
                         "aggregation: {kind: allreduce, algorithm: ring}\n"),
            "of its own");
  EXPECT_EQ(algorithm_of("machine: dgx1-v100\nsoftware: tensorflow-1\n"), "parameter-server");
  EXPECT_EQ(algorithm_of("machine: dgx1-v100\n"), "parameter-server");
  EXPECT_EQ(algorithm_of("machine: dgx1-v100\nsoftware: pytorch\naggregation: parameter-server\n"),
            "parameter-server");
}

// XLA has all gradients at the end of the backward pass; a written key has its own way.
TEST(Setting, SoftwareSaysWhetherGradientsTravelDuringTheBackwardPass) {
  const auto overlap_of = [](const std::string& lines) {
    return point_of("workers: 2\nmachine: dgx1-v100\n" + lines).experiment.aggregation->overlap();
  };
  EXPECT_TRUE(overlap_of("software: pytorch\n"));
  EXPECT_FALSE(overlap_of("software: tensorflow-xla\n"));
  EXPECT_FALSE(
      overlap_of("software: tensorflow-xla\naggregation: {kind: allreduce, bucket: 1 B}\n"));
  EXPECT_FALSE(overlap_of("software: tensorflow-xla\naggregation: parameter-server\n"));
  EXPECT_TRUE(
      overlap_of("software: tensorflow-xla\naggregation: {kind: allreduce, overlap: true}\n"));
}

// DistributedDataParallel's buckets, and Horovod's fusion buffer.
TEST(Setting, SoftwareSaysTheSizesOfBuckets) {
  const auto buckets_of = [](const std::string& lines) {
    const ExperimentPoint point = point_of("workers: 2\nmachine: dgx1-v100\n" + lines);
    const Aggregation& aggregation = *point.experiment.aggregation;
    return std::pair(aggregation.bucket().value() / 1048576,
                     aggregation.first_bucket().value() / 1048576);
  };
  EXPECT_EQ(buckets_of("software: pytorch\n"), std::pair(25.0, 1.0));
  EXPECT_EQ(buckets_of("software: horovod\n"), std::pair(64.0, 0.0));
  EXPECT_EQ(buckets_of("software: pytorch\naggregation: {kind: allreduce, bucket: 35 MiB}\n"),
            std::pair(35.0, 1.0));
  EXPECT_EQ(buckets_of("software: pytorch\naggregation: {kind: allreduce, first_bucket: 0 B}\n"),
            std::pair(25.0, 0.0));
  EXPECT_EQ(buckets_of("software: pytorch\naggregation: parameter-server\n"),
            buckets_of("aggregation: parameter-server\n"));
}

ExperimentPoint on_cluster(const std::string& lines) {
  const std::string text =
      "name: p\nmodel: resnet50\nmachine: {of: dgx1-p100, count: 2, network: infiniband-edr}\n";
  return load_experiment_text("p.yaml", text + lines, {}).points.front();
}

DevicePool gpus() {
  DevicePool pool;
  pool.gpus = true;
  return pool;
}

std::vector<int> gpus_of_workers(const ExperimentPoint& point) {
  std::vector<int> numbers;
  const Plan plan = plan_of_roles(point);
  for (const Place& place : placement_of(point, plan, gpus()).roles) {
    if (place.device == Place::Device::gpu) numbers.push_back(place.number);
  }
  return numbers;
}

TEST(Setting, WorkersFillTheNodesOfAClusterInOrderOrByRound) {
  EXPECT_EQ(gpus_of_workers(on_cluster("workers: 3\n")), (std::vector{0, 1, 2}));
  const ExperimentPoint by_round = on_cluster("workers: 3\ngpus: by-round\n");
  EXPECT_EQ(gpus_of_workers(by_round), (std::vector{0, 8, 1}));
  EXPECT_EQ(plan_of_roles(by_round).computers, (std::vector{0, 1, 0}));
  EXPECT_EQ(gpus_of_workers(on_cluster("workers: 2\ngpus: [9, 3, 4]\n")), (std::vector{9, 3}));
  EXPECT_EQ(gpus_of_workers(on_cluster("workers: 4\ngpus: [8..10, 0]\n")),
            (std::vector{8, 9, 10, 0}));
}

// A list of numbers is one value of `gpus`; a list with names of an order has several.
TEST(Setting, OrdersOfGpusAreSwept) {
  const auto points_of = [](const std::string& gpus) {
    return load_experiment_text("p.yaml",
                                "name: p\nmodel: resnet50\nmachine: {of: dgx1-p100, count: 2, "
                                "network: infiniband-edr}\nworkers: 2\ngpus: " +
                                    gpus,
                                {})
        .points;
  };
  const auto points = points_of("[in-order, by-round, [0..1]]");
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(gpus_of_workers(points[0]), (std::vector{0, 1}));
  EXPECT_EQ(gpus_of_workers(points[1]), (std::vector{0, 8}));
  EXPECT_EQ(gpus_of_workers(points[2]), (std::vector{0, 1}));
  EXPECT_EQ(points_of("[[0, 1], [0, 8]]").size(), 2U);
  EXPECT_EQ(points_of("[0, 8]").size(), 1U);
}

// The lists of a description are its own; a list in place of one value is a sweep.
TEST(Setting, NodesMayBeDescribedInPlace) {
  const auto points_of = [](const std::string& cores) {
    const std::string text =
        "name: p\nmodel: resnet50\nmachine:\n  count: 2\n  network: infiniband-edr\n  of:\n"
        "    gpus: [{model: {name: G, fp32: 10 TFLOP/s, memory: 16 GB, memory_bandwidth: 500 GB/s,"
        " sms: 20, pci_ids: [], sources: {fp32: t, memory: t, memory_bandwidth: t, sms: t}},"
        " count: 3}]\n"
        "    host: {cores: " +
        cores +
        ", memory_bandwidth: 50 GB/s, sources: {cores: t, memory_bandwidth: t}}\n"
        "    link_types: {bus: {kind: pcie, bandwidth: 16 GB/s, source: t}}\n"
        "    links: [{type: bus, from: cpu0, to: [gpu0..gpu2]}]\nworkers: 6\n"
        "aggregation: allreduce\n";
    return load_experiment_text("p.yaml", text, {}).points;
  };
  const auto points = points_of("8");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points.front().machine->gpu_count(), 6);
  EXPECT_EQ(points_of("[4, 8]").size(), 2U);
}

TEST(Setting, HierarchicalGroupsAreTheNodesOfACluster) {
  const auto steps = [](const std::string& algorithm) {
    const std::string lines =
        "workers: 16\naggregation: {kind: allreduce, algorithm: " + algorithm + "}\n";
    return plan_of_roles(on_cluster(lines)).schedule->steps();
  };
  EXPECT_EQ(steps("hierarchical"), steps("{kind: hierarchical, group: 8}"));
  EXPECT_NE(steps("hierarchical"), steps("{kind: hierarchical, group: 4}"));
}

}  // namespace
}  // namespace paceline
