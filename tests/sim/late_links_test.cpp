// SPDX-License-Identifier: MIT
// Delays of communication, against hand computation on a machine where copies take no time.
#include <cmath>

#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

Measurement with(const std::string& rest, const std::string& length = "workers: 4\nsteps: 30\n") {
  const ExperimentFile file = load_experiment_text(
      "late.yaml",
      "name: late\nmodel: {kind: synthetic, compute: 1 s, gradient: 4 MB}\nmachine: ideal\n"
      "software: ideal\nbatch: 8\n" +
          length + rest,
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

// Eight workers with arithmetic of 1 ms and exponential delays of mean 40 ms: the K-th smallest of
// eight is 40 ms (H_8 - H_{8-K}), and each update begins anew, since the other mini-batches are
// given up with what they send. A delay of the arithmetic gives the same.
class CancelledLinksTest : public testing::TestWithParam<std::string> {
 protected:
  static Measurement with_delay(const std::string& part) {
    const ExperimentFile file = load_experiment_text(
        "late.yaml",
        "name: late\nmodel: {kind: synthetic, compute: 1 ms, gradient: 400 B}\nmachine: ideal\n"
        "software: ideal\nworkers: 8\nbatch: 1\nsteps: 4000\nupdate: " +
            GetParam() + "\nstragglers: {" + part + ": {kind: exponential, mean: 40 ms}}\n",
        {});
    return simulate(make_prediction(file.points.front(), nullptr));
  }
};

TEST_P(CancelledLinksTest, ADelayEndsWithItsMiniBatch) {
  const Measurement sent = with_delay("communication");
  const Measurement computed = with_delay("compute");
  EXPECT_NEAR(*sent.iteration_mean, *computed.iteration_mean, 0.03 * *computed.iteration_mean);
  // the time of a late link is no arithmetic and no delay of it
  EXPECT_NEAR(*sent.delay, 0, 1e-9);
  EXPECT_LE(*sent.compute, 1e-3 + 1e-9);
  EXPECT_GT(*computed.delay, 0);
}

INSTANTIATE_TEST_SUITE_P(Updates, CancelledLinksTest,
                         testing::Values("{kind: k-sync, k: 1}", "{kind: k-sync, k: 4}",
                                         "{kind: k-batch-sync, k: 1}",
                                         "{kind: k-batch-sync, k: 4}"));

TEST(LateLinksTest, TheFirstOfEightDecides) {
  const Measurement got = with(
      "update: {kind: k-sync, k: 1}\nrepeats: 40\n"
      "stragglers: {communication: {kind: exponential, mean: 100 ms}}\n");
  EXPECT_NEAR(*got.iteration_mean, 1 + 0.1 / 4, 0.002);
}

// Arithmetic of 1 s and a delay of 3 s must fit into a life of mean 5 s, else it begins anew 2 s
// after the death: E = (exp(4 / 5) - 1) (5 + 2) s.
TEST(LateLinksTest, ADeathEndsTheDelay) {
  const Measurement got = with(
      "update: async\nstragglers: {failures: {every: 5 s, restart: 2 s},\n"
      "  communication: {kind: constant, value: 3 s}}\n",
      "workers: 1\nsteps: 4000\n");
  EXPECT_NEAR(*got.iteration_mean, (std::exp(0.8) - 1) * 7, 0.25);
}

}  // namespace
}  // namespace paceline
