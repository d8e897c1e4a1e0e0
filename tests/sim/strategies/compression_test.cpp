// SPDX-License-Identifier: MIT
// The weight of compressed gradients on the links, and their training, on the simulated clock.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

Measurement simulated(const std::string& keys) {
  const ExperimentFile file =
      load_experiment_text("compression.yaml", "name: compression\nsoftware: ideal\n" + keys, {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

/// The time of an update beyond that without gradients to speak of: of 80 MB on 1 GB/s.
double exchange(const std::string& aggregation) {
  const auto seconds = [&](const std::string& gradient) {
    return *simulated("model: {kind: synthetic, compute: 1 s, gradient: " + gradient +
                      "}\nworkers: 2\nmachine:\n"
                      "  gpus: [{model: p100-sxm2, count: 2}]\n"
                      "  host: {cores: 1, memory_bandwidth: 100 TB/s}\n"
                      "  vertices: [{kind: network-switch, names: [switch]}]\n"
                      "  link_types: {port: {kind: ethernet, bandwidth: 1 GB/s, latency: 0 s, "
                      "source: test}}\n"
                      "  links: [{type: port, from: switch, to: [cpu0, gpu0, gpu1]}]\n"
                      "steps: 3\naggregation: " +
                      aggregation + "\n")
                .iteration_mean;
  };
  return seconds("80 MB") - seconds("4 B");
}

constexpr double kMemory = 0.006;  // sums, encoding and decoding in the GPUs' memories

TEST(CompressionTest, PushesWeighWhatTheirFormatSays) {
  const auto push = [](const std::string& compression) {
    return exchange("{kind: parameter-server, overlap: false, compression: " + compression + "}");
  };
  const double fetch = 2 * 0.08;  // of two workers from one server, whole numbers
  EXPECT_NEAR(push("none"), fetch + 2 * 0.08, kMemory);
  EXPECT_NEAR(push("fp16"), fetch + 2 * 0.04, kMemory);
  EXPECT_NEAR(push("{kind: top-k, share: 5 %}"), fetch + 2 * 0.008, kMemory);
  EXPECT_NEAR(push("one-bit"), fetch + 2 * 0.0025, kMemory);
}

TEST(CompressionTest, WorkersExchangeTheSameWay) {
  EXPECT_NEAR(exchange("{kind: allreduce, overlap: false, compression: fp16}"), 0.04, kMemory);
  EXPECT_NEAR(exchange("{kind: peer-to-peer, overlap: false, compression: one-bit}"), 0.0025,
              kMemory);
}

TEST(CompressionTest, EncodingTakesTheTimeOfItsTraffic) {
  // 24 us a MB written and read three times at the P100's 732 GB/s is a sum: 80 MB in 328 us
  const double sum = 3 * 80e6 / 732e9;
  const double one_bit = exchange("{kind: peer-to-peer, overlap: false, compression: one-bit}");
  const double words = 0.08 / 32;
  // encoding, decoding its own in place of the gradient, adding the other's; and the update
  EXPECT_NEAR(one_bit - words, sum * (6 + 1 + 2 + 3.0 / 32) / 3 + sum, 1e-5);
}

TEST(CompressionTest, TrainingComesToTheSameLoss) {
  const auto loss = [](const std::string& aggregation) {
    return *simulated(
                "model: {kind: mlp, inputs: 16, hidden: [32], classes: 4}\nmachine: ideal\n"
                "workers: 4\nbatch: 16\nsteps: 300\ntrain: {dataset: gaussian-mixture}\n"
                "aggregation: " +
                aggregation + "\n")
                .loss_final;
  };
  const double plain = loss("{kind: parameter-server}");
  for (const char* compression : {"fp16", "{kind: top-k, share: 5 %}", "one-bit"}) {
    const std::string key = std::string(", compression: ") + compression;
    EXPECT_NEAR(loss("{kind: parameter-server" + key + "}") / plain, 1, 0.05) << key;
    EXPECT_NEAR(loss("{kind: peer-to-peer, bucket: 1 kB" + key + "}") / plain, 1, 0.05) << key;
  }
  EXPECT_NEAR(loss("{kind: allreduce, bucket: 1 kB, compression: fp16}") / plain, 1, 0.01);
}

// 1000 rows of 16 numbers, of which a mini-batch of 4 items touches 80 at most.
constexpr const char* kSequence =
    "model:\n  input: {channels: 1, height: 20}\n  classes: 4\n  blocks: [[\n"
    "    {kind: embedding, vocabulary: 1000, features: 16}, {kind: lstm, units: 16},\n"
    "    global-average-pool, classifier]]\nbatch: 4\n";

TEST(SparseGradients, TrainAsWholeTablesDo) {
  const auto curve = [](const std::string& aggregation) {
    return simulated(kSequence +
                     std::string("machine: ideal\nworkers: 3\nsteps: 30\n"
                                 "optimizer: {kind: sgd, learning_rate: 1}\n"
                                 "train: {held_out: 100}\naggregation: ") +
                     aggregation + "\n")
        .curve;
  };
  const auto same = [](const std::vector<CurvePoint>& a, const std::vector<CurvePoint>& b,
                       double within) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_LT(b.back().loss, b.front().loss);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].loss, b[i].loss, within) << i;
  };
  // shards end within a row
  const std::string servers = "{kind: parameter-server, shards: 3, bucket: 1 kB";
  same(curve(servers + ", sparse: true}"), curve(servers + "}"), 0);
  same(curve("{kind: allreduce, sparse: true}"), curve("{kind: allreduce}"), 1e-5);
  same(curve("{kind: peer-to-peer, sparse: true}"), curve("{kind: peer-to-peer}"), 1e-5);
}

TEST(SparseGradients, WeighAsManyRowsAsAMiniBatchTouches) {
  const auto seconds = [](const std::string& aggregation) {
    return *simulated(kSequence +
                      std::string("layer_times: roofline\nworkers: 2\nsteps: 3\nmachine:\n"
                                  "  gpus: [{model: p100-sxm2, count: 2}]\n"
                                  "  host: {cores: 1, memory_bandwidth: 100 TB/s}\n"
                                  "  vertices: [{kind: network-switch, names: [switch]}]\n"
                                  "  link_types: {port: {kind: ethernet, bandwidth: 1 MB/s, "
                                  "latency: 0 s, source: test}}\n"
                                  "  links: [{type: port, from: switch, to: [cpu0, gpu0, gpu1]}]\n"
                                  "aggregation: ") +
                      aggregation + "\n")
                .iteration_mean;
  };
  const double table = 1000 * 16 * 4e-6;  // s, at 1 MB/s
  const double rows = 4e-6 * (1 + 80 * (1 + 16));
  const double little = 1e-4;
  // two workers push to one link
  EXPECT_NEAR(
      seconds("{kind: parameter-server}") - seconds("{kind: parameter-server, sparse: true}"),
      2 * (table - rows), little);
  // a ring of two sends each number once
  EXPECT_NEAR(seconds("{kind: allreduce}") - seconds("{kind: allreduce, sparse: true}"),
              table - rows, little);
}

TEST(SparseGradients, NeedATable) {
  try {
    simulated(
        "model: {kind: synthetic, compute: 1 s}\nmachine: ideal\nworkers: 2\n"
        "aggregation: {kind: allreduce, sparse: true}\n");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'sparse' is for networks with an embedding"));
  }
}

TEST(CompressionTest, WhatCannotBeAddedIsNotAllReduced) {
  try {
    simulated(
        "model: {kind: synthetic, compute: 1 s}\nmachine: ideal\nworkers: 2\n"
        "aggregation: {kind: allreduce, compression: one-bit}\n");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'one-bit' cannot be added (use fp16"));
  }
}

}  // namespace
}  // namespace paceline
