// SPDX-License-Identifier: MIT
#include <cmath>

#include <gtest/gtest.h>

#include "sim/simulate.hpp"
#include "training/experiment/repeats.hpp"

namespace paceline {
namespace {

// A network that reads tokens gets tokens by default, and learns from them.
TEST(SequenceLearning, LowersTheLossOfAnLstm) {
  const ExperimentFile file = load_experiment_text(
      "lstm.yaml",
      "name: lstm\nmachine: ideal\nsoftware: ideal\nworkers: 4\nbatch: 16\nsteps: 200\nwarmup: 0\n"
      "model:\n  input: {channels: 1, height: 20}\n  classes: 4\n  blocks: [[\n"
      "    {kind: embedding, vocabulary: 1000, features: 16}, {kind: lstm, units: 16},\n"
      "    global-average-pool, classifier]]\n"
      "optimizer: {kind: sgd, learning_rate: 2}\ntrain: {held_out: 500}\n",
      {});
  EXPECT_EQ(file.points.front().experiment.train->dataset.kind(), "token-mixture");
  const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
  ASSERT_GT(got.curve.size(), 2u);
  EXPECT_NEAR(got.curve.front().loss, std::log(4.0), 0.1);
  EXPECT_LT(got.curve.back().loss, 0.5 * got.curve.front().loss);
  EXPECT_GT(got.curve.back().accuracy, 0.8);
}

}  // namespace
}  // namespace paceline
