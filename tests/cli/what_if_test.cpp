// SPDX-License-Identifier: MIT
#include "cli/what_if.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/star_machine.hpp"

namespace paceline {
namespace {

std::map<std::string, double> gains(const Star& given) {
  const ExperimentFile file = star(given);
  std::map<std::string, double> all;
  for (const WhatIf& one : what_if(file.points.front(), Device::any, nullptr)) {
    all[one.name] = one.gain;
  }
  return all;
}

// One worker: 18 ms of arithmetic, 10 MB each way at 10 GB/s and an update of 3 ms take 23 ms.
// Links twice as fast save 1 ms, a free update saves 3 ms. No other change applies.
TEST(WhatIf, ChangesAStepByWhatItsPartsTake) {
  const auto all = gains({.gpus = 1,
                          .link = "10 GB/s",
                          .memory = "10 GB/s",
                          .compute = "18 ms",
                          .rest = "aggregation: {kind: parameter-server, overlap: false}\n"});
  EXPECT_EQ(all.size(), 3U);
  EXPECT_NEAR(all.at("Ethernet twice as fast"), 23.0 / 22 - 1, 1e-9);
  EXPECT_NEAR(all.at("free sums and updates"), 23.0 / 20 - 1, 1e-9);
  EXPECT_TRUE(all.contains("overlap with backward"));
}

// Workers with steps of 10 ms and a constant delay of 10 ms.
TEST(WhatIf, LeavesStragglersOut) {
  const auto all = gains({.gpus = 2,
                          .compute = "10 ms",
                          .rest = "aggregation: independent\nworkers: 2\n"
                                  "stragglers: {compute: {kind: constant, value: 10 ms}}\n"});
  EXPECT_EQ(all.size(), 2U);
  EXPECT_NEAR(all.at("no stragglers"), 1, 0.01);  // a worker's own updates take 0.04 ms
  EXPECT_LT(all.at("free sums and updates"), 0.01);
}

// One worker of two takes twice as long, and both have a delay of 10 ms: a step of 30 ms, of 20 ms
// without the slowdown and of 10 ms without either.
TEST(WhatIf, TakesTheSlowWorkersOneByOne) {
  const auto all = gains({.gpus = 2,
                          .compute = "10 ms",
                          .rest = "workers: 2\nstragglers: {compute: 10 ms, workers: {1: "
                                  "{slowdown: 2}}}\n"});
  EXPECT_NEAR(all.at("no stragglers"), 2, 0.05);
  EXPECT_NEAR(all.at("worker 1 as fast as the others"), 0.5, 0.02);
}

// Both passes are one kernel of 5 ms, and a launch takes 20 ms: a step of 45 ms, or of 10 ms.
TEST(WhatIf, LaunchesKernelsInNoTime) {
  std::string text = star_text({.gpus = 2, .compute = "10 ms", .rest = "workers: 2\n"});
  const std::string ideal = "software: ideal";
  text.replace(text.find(ideal), ideal.size(), "software: {dispatch: 20 ms, dispatchers: gpu}");
  const ExperimentFile file = load_experiment_text("star.yaml", text, {});
  std::map<std::string, double> all;
  for (const WhatIf& one : what_if(file.points.front(), Device::any, nullptr)) {
    all[one.name] = one.gain;
  }
  EXPECT_GT(all.at("kernels launched in no time"), 2);
}

// A link of 2 GB/s gives each transfer 1 GB/s: a faster link helps nothing, and the table says why;
// a faster connection does.
TEST(WhatIf, SaysThatAConnectionKeepsALinkFromHelping) {
  std::string text = star_text({.gpus = 2,
                                .link = "2 GB/s",
                                .compute = "1 ms",
                                .rest = "workers: 2\naggregation: {kind: allreduce, algorithm: "
                                        "ring, overlap: false}\n"});
  const std::string bandwidth = "bandwidth: 2 GB/s";
  text.replace(text.find(bandwidth), bandwidth.size(), bandwidth + ", connection: 1 GB/s");
  const ExperimentFile file = load_experiment_text("star.yaml", text, {});
  std::map<std::string, WhatIf> all;
  for (const WhatIf& one : what_if(file.points.front(), Device::any, nullptr)) all[one.name] = one;
  EXPECT_EQ(all.at("Ethernet twice as fast").gain, 0);
  EXPECT_EQ(all.at("Ethernet twice as fast").bound_by, "one TCP connection");
  EXPECT_GT(all.at("one TCP connection twice as fast").gain, 0.5);
}

// A step of 10 ms; its batch takes 20 ms to decode.
TEST(WhatIf, GivesItemsWithoutDelay) {
  const auto all = gains({.gpus = 1,
                          .compute = "10 ms",
                          .rest = "aggregation: independent\nbatch: 4\n"
                                  "input: {kind: pipeline, decode: {time: 5 ms}}\n"});
  EXPECT_NEAR(all.at("no waiting for input"), 1, 0.01);
}

}  // namespace
}  // namespace paceline
