// SPDX-License-Identifier: MIT
// Training that diverges ends at the same update on both clocks, with the curve up to there.
#include <cmath>

#include "exec/host/execute.hpp"
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

ExperimentFile experiment(const std::string& update, const std::string& bound) {
  return load_experiment_text(
      "divergence.yaml",
      "name: divergence\nmodel: {kind: linear, inputs: 4}\nmachine: this\nbatch: 4\nworkers: 4\n"
      "steps: 200\nwarmup: 2\nupdate: " +
          update + "\ntrain: {dataset: least-squares, evaluate: 1" + bound +
          "}\noptimizer: {kind: sgd, learning_rate: 100}\n"
          "stragglers: {compute: {kind: shifted-exponential, shift: 0.2 ms, mean: 1 ms}}\n",
      {});
}

class DivergenceTest : public testing::TestWithParam<const char*> {};

TEST_P(DivergenceTest, EndsThePointAtTheSameUpdateOnBothClocks) {
  // the default bound, one of the user's, and so high that only what is no number is beyond
  for (const char* bound : {"", ", loss_bound: 1000", ", loss_bound: 1e300"}) {
    const ExperimentFile file = experiment(GetParam(), bound);
    const Profile profile = free_computer(file.points.front());
    Prediction setting = make_prediction(file.points.front(), &profile);
    setting.counting.keep_gradients = true;
    setting.counting.loss_bound = Execution(setting).loss_bound();
    const ClockRun simulated = on_simulator(setting);
    const ClockRun real = on_threads(setting);
    EXPECT_THAT(real.status,
                testing::MatchesRegex("diverged at update [0-9]+ \\(loss [.a-z0-9+]+\\)"));
    EXPECT_EQ(simulated.status, real.status);
    EXPECT_EQ(Order(simulated.events).accepted, Order(real.events).accepted);
    expect_one_curve(simulated.curve, real.curve);
    EXPECT_EQ(simulated.result.updates, real.result.updates);
    EXPECT_NEAR(*simulated.result.total, *real.result.total, 1e-9);
    EXPECT_EQ(
        real.status.rfind("diverged at update " + std::to_string(real.curve.back().updates), 0), 0U)
        << real.status;
    EXPECT_FALSE(real.curve.back().loss < real.curve.front().loss);  // it may be no number
    if (*bound == '\0') {
      EXPECT_THAT(execute_on_host(setting).status, testing::StartsWith("diverged at update "));
    }
  }
}

// The only mini-batch has a loss on the weights as drawn. Its update makes weights without a finite
// one.
TEST(LastUpdateTest, WeightsWithoutALossAreADivergence) {
  const ExperimentFile file = load_experiment_text(
      "last.yaml",
      "name: last\nmodel: {kind: mlp, inputs: 2, hidden: [16], classes: 10}\nmachine: this\n"
      "batch: 1\noptimizer: {kind: sgd, learning_rate: 1e+30}\ntrain: {held_out: 2}\n"
      "steps: 1\nwarmup: 0\n",
      {});
  const Profile profile = free_computer(file.points.front());
  Prediction setting = make_prediction(file.points.front(), &profile);
  setting.counting.loss_bound = Execution(setting).loss_bound();
  for (const ClockRun& run : {on_simulator(setting), on_threads(setting)}) {
    EXPECT_THAT(run.status,
                testing::MatchesRegex("diverged at update 1 \\(held-out loss (nan|inf)\\)"));
    ASSERT_EQ(run.curve.size(), 2U);
    EXPECT_TRUE(std::isfinite(run.curve.front().loss));
    EXPECT_FALSE(std::isfinite(run.curve.back().loss));
  }
}

INSTANTIATE_TEST_SUITE_P(Updates, DivergenceTest,
                         testing::Values("sync", "{kind: k-sync, k: 2}", "async",
                                         "{kind: k-batch-async, k: 3}",
                                         "{kind: local-sgd, every: 2}"));

}  // namespace
}  // namespace paceline
