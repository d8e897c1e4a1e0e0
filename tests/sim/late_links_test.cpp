// SPDX-License-Identifier: MIT
// Delays of communication, against hand computation on a machine where copies take no time.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

Measurement with(const std::string& rest) {
  const ExperimentFile file = load_experiment_text(
      "late.yaml",
      "name: late\nmodel: {kind: synthetic, compute: 1 s, gradient: 4 MB}\nmachine: ideal\n"
      "software: ideal\nworkers: 4\nbatch: 8\nsteps: 30\n" +
          rest,
      {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

class LateLinksTest : public testing::TestWithParam<std::string> {};

TEST_P(LateLinksTest, AConstantDelayIsAddedToEveryUpdate) {
  const Measurement got =
      with(GetParam() + "stragglers: {communication: {kind: constant, value: 250 ms}}\n");
  EXPECT_NEAR(*got.iteration_mean, 1.25, 1e-9);
  EXPECT_NEAR(*got.compute, 1, 1e-9);
  EXPECT_NEAR(*got.delay, 0, 1e-9);  // the arithmetic is not late
}

INSTANTIATE_TEST_SUITE_P(
    Aggregations, LateLinksTest,
    testing::Values("aggregation: parameter-server\n",
                    "aggregation: {kind: parameter-server, placement: sharded-gpus}\n",
                    "aggregation: replicated\n",
                    "aggregation: {kind: allreduce, algorithm: ring}\n",
                    "aggregation: {kind: allreduce, algorithm: halving-doubling}\n",
                    "aggregation: {kind: allreduce, algorithm: nccl}\n"));

TEST(LateLinksTest, TheLatestOfAllWorkersDecides) {
  // the greatest of four exponential times: mean x (1 + 1/2 + 1/3 + 1/4)
  const Measurement got = with(
      "aggregation: parameter-server\nrepeats: 40\n"
      "stragglers: {communication: {kind: exponential, mean: 100 ms}}\n");
  EXPECT_NEAR(*got.iteration_mean, 1 + 0.1 * 25 / 12, 0.01);
}

TEST(LateLinksTest, AnAsynchronousWorkerIsLateAlone) {
  const Measurement got =
      with("update: async\nstragglers: {communication: {kind: constant, value: 250 ms}}\n");
  EXPECT_NEAR(*got.throughput, 4 * 8 / 1.25, 1e-6);
}

}  // namespace
}  // namespace paceline
