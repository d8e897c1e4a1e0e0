// SPDX-License-Identifier: MIT
// A transformer with an output layer that shares the embedding's table trains alike on both clocks.
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

TEST(TransformerOnThreadsTest, TrainsAsOnTheSimulator) {
  const ExperimentFile file = load_experiment_text(
      "t.yaml",
      "name: t\nmachine: this\nbatch: 8\nsteps: 30\nwarmup: 2\nworkers: 2\nupdate: async\n"
      "train: {evaluate: 10, held_out: 64, dataset: {kind: token-mixture, vocabulary: 20}}\n"
      "optimizer: {kind: adam, learning_rate: 0.01}\n"
      "stragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}}\n"
      "model:\n  item: sequences\n  input: {channels: 1, height: 6}\n  classes: 20\n  blocks:\n"
      "    - {kind: embedding, vocabulary: 20, features: 8}\n    - position-embedding\n"
      "    - {kind: transformer, heads: 2, norm: before, causal: true}\n"
      "    - global-average-pool\n    - {kind: classifier, tied: true}\n",
      {});
  const auto [simulated, real] = BothClocks(file.points.front());
  EXPECT_EQ(real.status, "ok");
  EXPECT_EQ(Order(simulated.events).accepted, Order(real.events).accepted);
  expect_one_curve(simulated.curve, real.curve);
  EXPECT_LT(real.curve.back().loss, 0.8 * real.curve.front().loss);
}

}  // namespace
}  // namespace paceline
