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
