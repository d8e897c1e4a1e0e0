// SPDX-License-Identifier: MIT
#include "cli/swept_labels.hpp"

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

std::vector<std::string> labels_of(const std::string& path, const std::string& text) {
  const ExperimentFile file = load_experiment_text("labels.yaml", text, {});
  const SweptLabels labels(file.points);
  std::vector<std::string> all;
  for (const ExperimentPoint& point : file.points) {
    for (const SweptKey& key : point.swept) {
      if (key.path == path) all.push_back(labels.of(key));
    }
  }
  return all;
}

constexpr const char* kBase =
    "name: labels\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\n"
    "machine: dgx1-p100\n";

TEST(SweptLabels, AKindAloneWhereItDistinguishesTheValues) {
  EXPECT_EQ(labels_of("update", std::string(kBase) +
                                    "workers: 4\nupdate: [sync, {kind: k-sync, k: 50 %}, async]\n"),
            (std::vector<std::string>{"sync", "k-sync", "async"}));
}

TEST(SweptLabels, MappingsOfOneKindAreDistinguishedByTheKeysThatDiffer) {
  EXPECT_EQ(labels_of("aggregation",
                      std::string(kBase) +
                          "workers: 4\naggregation: [{kind: allreduce, algorithm: ring}, {kind: "
                          "allreduce, algorithm: nccl}]\n"),
            (std::vector<std::string>{"allreduce ring", "allreduce nccl"}));
  EXPECT_EQ(labels_of("aggregation",
                      std::string(kBase) +
                          "workers: 4\naggregation: [{kind: parameter-server, shards: 1}, {kind: "
                          "parameter-server, placement: sharded-gpus}, parameter-server]\n"),
            (std::vector<std::string>{"parameter-server shards=1", "parameter-server sharded-gpus",
                                      "parameter-server"}));
  EXPECT_EQ(labels_of("update", std::string(kBase) +
                                    "workers: 4\nupdate: [{kind: ssp, slack: 0}, {kind: ssp, "
                                    "slack: 3}, sync]\n"),
            (std::vector<std::string>{"ssp slack=0", "ssp slack=3", "sync"}));
  EXPECT_EQ(labels_of("model",
                      "name: labels\nmachine: ideal\nmodel: [{kind: synthetic, compute: 10 ms}, "
                      "{kind: synthetic, compute: 40 ms}]\n"),
            (std::vector<std::string>{"synthetic compute=10 ms", "synthetic compute=40 ms"}));
}

TEST(SweptLabels, CompressionIsNamedBesideValuesOfOtherKindsToo) {
  EXPECT_EQ(labels_of("aggregation",
                      std::string(kBase) +
                          "workers: 4\naggregation: [{kind: allreduce, algorithm: nccl}, {kind: "
                          "allreduce, algorithm: nccl, compression: fp16}, parameter-server, "
                          "{kind: peer-to-peer, compression: {kind: top-k, share: 1 %}}]\n"),
            (std::vector<std::string>{"allreduce", "allreduce fp16", "parameter-server",
                                      "peer-to-peer top-k"}));
  EXPECT_EQ(labels_of("aggregation",
                      std::string(kBase) +
                          "workers: 4\naggregation: [{kind: allreduce, compression: fp16}, {kind: "
                          "parameter-server, compression: fp16}]\n"),
            (std::vector<std::string>{"allreduce", "parameter-server"}));
}

TEST(SweptLabels, AConstantDelayOfNothingIsNoDelay) {
  EXPECT_EQ(
      labels_of("stragglers.compute",
                std::string(kBase) +
                    "workers: 4\nstragglers: {compute: [{kind: constant, value: 0 ms}, {kind: "
                    "constant, value: 10 ms}, {kind: exponential, mean: 1 ms}]}\n"),
      (std::vector<std::string>{"no delay", "constant value=10 ms", "exponential"}));
}

TEST(SweptLabels, NumbersAndSwitchesAreNamedWithTheirKey) {
  const SweptLabels labels(std::vector<ExperimentPoint>{});
  EXPECT_EQ(labels.named({"update", "async"}), "async");
  EXPECT_EQ(labels.named({"batch", "64"}), "batch 64");
  EXPECT_EQ(labels.named({"aggregation.overlap", "true"}), "overlap=true");
  EXPECT_EQ(labels.named({"aggregation.overlap", "false"}), "overlap=false");
  EXPECT_EQ(labels.named({"a.shift", "-1"}), "shift=-1");
  EXPECT_EQ(labels.named({"a.shift", ".5"}), "shift=.5");
  EXPECT_EQ(labels.named({"input.decode.workers", "4"}), "decode.workers 4");
}

TEST(SweptLabels, NumbersAreThemselves) {
  EXPECT_EQ(labels_of("workers", std::string(kBase) + "workers: [1, 8]\n"),
            (std::vector<std::string>{"1", "8"}));
}

}  // namespace
}  // namespace paceline
