// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

double loss_with(const std::string& staleness) {
  const ExperimentFile file = load_experiment_text(
      "replicated.yaml",
      "name: replicated\nmodel: {kind: linear, inputs: 4}\nmachine: ideal\nworkers: 3\nsteps: 20\n"
      "aggregation: replicated\nupdate: sync\ntrain: {dataset: least-squares}\n"
      "optimizer: {kind: sgd, learning_rate: 0.05, staleness: " +
          staleness + "}\n",
      {});
  return *simulate(make_prediction(file.points.front(), nullptr)).loss_final;
}

// Every gradient of a sum of replicas is computed at the version that it makes the next of.
TEST(ReplicatedTest, RulesOfStalenessChangeNothingWhereNoGradientIsStale) {
  const double loss = loss_with("none");
  EXPECT_EQ(loss_with("per-gradient"), loss);
  EXPECT_EQ(loss_with("{kind: distance, c: 2}"), loss);
}

}  // namespace
}  // namespace paceline
