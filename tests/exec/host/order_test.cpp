// SPDX-License-Identifier: MIT
// One program, two clocks: with the test's time source, real threads with real gradients must
// accept and cancel the same gradients, at the same versions, in the same order as the simulator,
// and so end with the same losses, to the bit.
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"
#include "tests/training/strategies/legal_pairs.hpp"

namespace paceline {
namespace {

ExperimentFile experiment(const LegalPair& pair, int workers) {
  std::string text =
      "name: order\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 1, held_out: 64}\n"
      "stragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}}\n";
  text += "workers: " + std::to_string(workers) + "\naggregation: " + pair.aggregation + "\n";
  if (!pair.update.empty()) text += "update: " + pair.update + "\n";
  return load_experiment_text("order.yaml", text, {});
}

class OrderTest : public testing::TestWithParam<LegalPair> {};

TEST_P(OrderTest, ThreadsDecideAsTheSimulatorDoes) {
  const int workers = 5;
  const ExperimentFile file = experiment(GetParam(), workers);
  const auto [simulated, real] = BothClocks(file.points.front());
  EXPECT_EQ(simulated.status, "ok");
  EXPECT_EQ(real.status, "ok");

  const Order predicted(simulated.events);
  const Order measured(real.events);
  EXPECT_EQ(predicted.accepted, measured.accepted);
  EXPECT_EQ(predicted.cancelled, measured.cancelled);
  expect_one_curve(simulated.curve, real.curve);
  EXPECT_GT(real.curve.size(), 2U);
  EXPECT_LT(real.curve.back().loss, 0.9 * real.curve.front().loss);
  if (GetParam().update == "k-sync") {
    EXPECT_FALSE(measured.cancelled.empty());
  }
  expect_one_measurement(simulated.result, real.result);
}

INSTANTIATE_TEST_SUITE_P(LegalPairs, OrderTest, testing::ValuesIn(legal_pairs()));

}  // namespace
}  // namespace paceline
