// SPDX-License-Identifier: MIT
// Whatever sums the gradients, training comes to the same loss. A rank that has all it needs may
// send its next gradient before another has added its last one.
#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

double loss_by(const std::string& aggregation) {
  const ExperimentFile file = load_experiment_text(
      "overtaking.yaml",
      "name: overtaking\nmodel: {kind: mlp, inputs: 16, hidden: [16], classes: 4}\n"
      "machine: ideal\nworkers: 4\nbatch: 16\nsteps: 50\ntrain: {dataset: gaussian-mixture}\n"
      "aggregation: " +
          aggregation + "\n",
      {});
  return *simulate(make_prediction(file.points.front(), nullptr)).loss_final;
}

TEST(AllReducedTraining, TheLibrarySumsAsTheSchedulesDo) {
  const double sums = loss_by("{kind: allreduce, algorithm: ring}");
  EXPECT_NEAR(loss_by("{kind: allreduce, algorithm: nccl}") / sums, 1, 1e-5);
  EXPECT_NEAR(loss_by("{kind: allreduce, algorithm: nccl, compression: fp16}") / sums, 1, 1e-2);
}

TEST(AllReducedTraining, NoGradientIsAddedTwiceOrNever) {
  const double sums = loss_by("{kind: allreduce, algorithm: ring}");
  // the same sums, but for their order
  EXPECT_NEAR(loss_by("peer-to-peer") / sums, 1, 1e-5);
  EXPECT_NEAR(loss_by("{kind: allreduce, algorithm: peer-to-peer, bucket: 100 B}") / sums, 1, 1e-5);
}

}  // namespace
}  // namespace paceline
