// SPDX-License-Identifier: MIT
// Validation passes, against hand computation. The worker computes 40 ms a mini-batch of 8 items, a
// third of it forward, on a machine where copies take no time.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

constexpr double kCompute = 0.04;
constexpr double kForward = kCompute / 3;

Measurement with(const std::string& rest) {
  const ExperimentFile file = load_experiment_text(
      "validation.yaml",
      "name: validation\nmodel: {kind: synthetic, compute: 40 ms, gradient: 4 MB}\n"
      "machine: ideal\nsoftware: ideal\nbatch: 8\nsteps: 60\nwarmup: 20\n" +
          rest,
      {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

/// A validation of three passes every four mini-batches.
struct Case {
  std::string rest;
  double input;  ///< s that a mini-batch and its share of the validation wait for items
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.rest;
}

class ValidationTest : public testing::TestWithParam<Case> {};

TEST_P(ValidationTest, ItsPassesAndTheirInputArePartsOfAStep) {
  const Measurement got = with(GetParam().rest);
  const double validation = 3 * kForward / 4;
  EXPECT_NEAR(*got.compute, kCompute, 1e-9);
  EXPECT_NEAR(*got.validation, validation, 1e-9);
  EXPECT_NEAR(*got.input, GetParam().input, 1e-9);
  EXPECT_NEAR(*got.exposed_comm, 0, 1e-9);
  EXPECT_NEAR(*got.step_mean, kCompute + validation + GetParam().input, 1e-9);
}

const std::string kEvery = "validation: {every: 4, batches: 3";

INSTANTIATE_TEST_SUITE_P(
    Passes, ValidationTest,
    testing::Values(
        Case{kEvery + "}", 0}, Case{kEvery + "}\nworkers: 4\naggregation: allreduce", 0},
        Case{kEvery + "}\nworkers: 2\naggregation: independent", 0},
        Case{kEvery + "}\nworkers: 2\naggregation: {kind: distributed-replicated, staged: true}",
             0},
        // without prefetch a pass waits for its items as a mini-batch does
        Case{kEvery + "}\ninput: {kind: pipeline, decode: {time: 2 ms}, prefetch: 0}",
             0.016 + 3 * 0.016 / 4},
        Case{kEvery + ", batch: 16}\ninput: {kind: pipeline, decode: {time: 2 ms}, prefetch: 0}",
             0.016 + 3 * 0.032 / 4},
        // its items are prepared while training computes
        Case{kEvery + ", prefetch: 3}\ninput: {kind: pipeline, decode: {time: 2 ms}, prefetch: 1}",
             0},
        // a pass takes 13.3 ms, the items of the next one 16 ms
        Case{kEvery + ", prefetch: 1}\ninput: {kind: pipeline, decode: {time: 2 ms}, prefetch: 2}",
             2 * (0.016 - kForward) / 4},
        // the one loader is always busy: seven batches of 64 ms every four mini-batches
        Case{kEvery + ", prefetch: 3}\ninput: {kind: pipeline, decode: {time: 8 ms}, prefetch: 2}",
             7 * 0.064 / 4 - kCompute - 3 * kForward / 4},
        Case{kEvery + "}\ninput: {kind: pipeline, read: {size: 1 MB, bandwidth: 200 MB/s}, decode: "
                      "{time: 1 ms}, prefetch: 0}",
             7 * 0.048 / 4}));

TEST(ValidationOfPoliciesTest, EveryMiniBatchOfAnUpdateCounts) {
  const Measurement got =
      with(kEvery + "}\nworkers: 2\nupdate: {kind: local-sgd, every: 2}\naggregation: allreduce");
  EXPECT_NEAR(*got.iteration_mean, 2 * (kCompute + 3 * kForward / 4), 1e-9);
}

TEST(ValidationOfPoliciesTest, AsynchronousWorkersValidateAtTheirOwnPace) {
  const Measurement got = with(kEvery + "}\nworkers: 4\nupdate: async");
  // steps of two lengths, of which the ends of the window cut some
  EXPECT_NEAR(*got.throughput, 4 * 8 / (kCompute + 3 * kForward / 4), 0.01 * *got.throughput);
}

TEST(ValidationOfPoliciesTest, WithoutPassesTheColumnIsBlank) {
  EXPECT_FALSE(with("workers: 1").validation);
  EXPECT_FALSE(with("workers: 1").checkpoint);
}

/// The times of forward layers, or of those of validation, on a P100.
Costs costs_of(const std::string& keys) {
  const ExperimentFile file = load_experiment_text(
      "validation.yaml", "name: validation\nmodel: resnet50\nmachine: dgx1-p100\n" + keys, {});
  return make_prediction(file.points.front(), nullptr).costs;
}

TEST(ValidationCostTest, APassIsTheForwardPassAtItsBatch) {
  const Costs large = costs_of("batch: 64\nlayer_times: roofline\n");
  const Costs small =
      costs_of("batch: 16\nlayer_times: roofline\nvalidation: {every: 5, batches: 2, batch: 64}\n");
  ASSERT_EQ(small.validation.size(), large.forward.size());
  for (std::size_t i = 0; i < large.forward.size(); ++i) {
    EXPECT_NEAR(small.validation[i].value(), large.forward[i].value(), 1e-12);
  }
  const Costs same = costs_of("batch: 16\nvalidation: {every: 5, batches: 2}\n");
  ASSERT_EQ(same.validation.size(), same.forward.size());
  for (std::size_t i = 0; i < same.forward.size(); ++i) {
    EXPECT_NEAR(same.validation[i].value(), same.forward[i].value(), 1e-12);
  }
}

TEST(ValidationCostTest, APublishedThroughputScalesItAsItDoesTraining) {
  const Costs estimated =
      costs_of("batch: 16\nlayer_times: roofline\nvalidation: {every: 5, batches: 2, batch: 64}\n");
  const Costs scaled = costs_of("batch: 16\nvalidation: {every: 5, batches: 2, batch: 64}\n");
  const double factor = scaled.forward_total() / estimated.forward_total();
  ASSERT_GT(std::fabs(factor - 1), 1e-3) << "nothing is scaled";
  for (std::size_t i = 0; i < scaled.validation.size(); ++i) {
    EXPECT_NEAR(scaled.validation[i].value(), factor * estimated.validation[i].value(), 1e-12);
  }
}

TEST(ValidationCostTest, OfASplitCardItSharesMemory) {
  const ExperimentFile file = load_experiment_text(
      "validation.yaml",
      "name: validation\nmodel: resnet50\nmachine: dgx1-v100\nbatch: 4\nworkers: 2\n"
      "devices: {virtual: 2, split: green}\nsteps: 8\nwarmup: 4\nlayer_times: roofline\n"
      "validation: {every: 2, batches: 2}\n",
      {});
  const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
  EXPECT_EQ(got.status, "ok");
  EXPECT_GT(*got.validation, 0.1 * *got.compute);
  EXPECT_LT(*got.validation, *got.compute);
}

}  // namespace
}  // namespace paceline
