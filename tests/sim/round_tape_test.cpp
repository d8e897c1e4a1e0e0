// SPDX-License-Identifier: MIT
// Rounds that are played from a tape against the same rounds simulated one after the other: the
// observer is shown the same events, to the picosecond.
#include "sim/round_tape.hpp"

#include <gmock/gmock.h>

#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

Prediction setting_of(const std::string& rest) {
  const std::string text =
      "name: tape\nmodel: alexnet\n"
      "machine: dgx1-p100\nworkers: 5\nsteps: 40\nwarmup: 3\n" +
      rest;
  static std::vector<ExperimentFile> files;  // a prediction points into its file
  files.push_back(load_experiment_text("tape.yaml", text, {}));
  Prediction setting = make_prediction(files.back().points.front(), nullptr);
  setting.counting.keep_gradients = true;
  setting.counting.keep_versions = true;
  return setting;
}

class RoundTapeTest : public testing::TestWithParam<std::string> {};

TEST_P(RoundTapeTest, ShowsWhatAllRoundsWouldHave) {
  const Prediction setting = setting_of(GetParam());
  ASSERT_TRUE(RoundTape::suits(setting.plan, setting.costs.variation));
  Recorder played(setting.counting);
  Recorder simulated(setting.counting);
  simulate_once(setting, 0, played);
  simulate_all_rounds(setting, 0, simulated);
  EXPECT_EQ(played.samples().iterations, simulated.samples().iterations);
  EXPECT_EQ(played.samples().steps, simulated.samples().steps);
  EXPECT_EQ(played.gradients(), simulated.gradients());
  EXPECT_EQ(played.window_end()->ps, simulated.window_end()->ps);
  const Measurement a = played.result();
  const Measurement b = simulated.result();
  EXPECT_EQ(a.throughput, b.throughput);
  EXPECT_EQ(a.compute, b.compute);
  EXPECT_EQ(a.wait, b.wait);
  EXPECT_EQ(a.exposed_comm, b.exposed_comm);
  EXPECT_EQ(a.server_busy, b.server_busy);
  EXPECT_EQ(a.staleness_mean, b.staleness_mean);
}

TEST_P(RoundTapeTest, FindsThatRoundsRepeat) {
  const Prediction setting = setting_of(GetParam());
  Plan plan = setting.plan;
  plan.updates = RoundTape::kRounds;
  plan.gradients = plan.updates * plan.rule.gradients;
  RoundTape tape(plan);
  plan.observer = &tape;
  SimulatedMachine clock(*setting.machine, setting.costs, setting.vertices, plan.workers, &tape);
  start_roles(*setting.point->experiment.aggregation, plan, clock);
  clock.run();
  EXPECT_TRUE(tape.repeats());
}

INSTANTIATE_TEST_SUITE_P(
    Aggregations, RoundTapeTest,
    testing::Values("aggregation: {kind: allreduce, algorithm: ring}\n",
                    "aggregation: {kind: allreduce, algorithm: halving-doubling, bucket: 1 B}\n",
                    "aggregation: {kind: allreduce, algorithm: nccl}\n",
                    "aggregation: parameter-server\n",
                    "aggregation: {kind: parameter-server, placement: sharded-gpus}\n",
                    "aggregation: replicated\n",
                    "aggregation: {kind: parameter-server, shards: 3, bucket: 1 MB}\n"
                    "stragglers: {workers: {1: {slowdown: 1.3}}}\n",
                    "update: {kind: local-sgd, every: 3}\n"
                    "aggregation: {kind: allreduce, algorithm: ring}\n"));

// Independent workers that are equal repeat their rounds; of unequal ones each is in another round.
TEST(RoundTapeTest, RoundsOfIndependentWorkersRepeatWhereTheyAreInStep) {
  const auto simulated = [](const std::string& rest) {
    const Prediction setting = setting_of("aggregation: independent\nsoftware: ideal\n" + rest);
    Recorder recorder(setting.counting);
    return simulate_once(setting, 0, recorder);
  };
  EXPECT_EQ(simulated(""), "repeated rounds");
  for (const std::string worker : {"0", "4"})
    EXPECT_EQ(simulated("stragglers: {workers: {" + worker + ": {slowdown: 10}}}\n"), "events");
}

TEST(RoundTapeTest, IsNotForWhatIsDrawnOrChanges) {
  const auto suits = [](const std::string& rest) {
    const Prediction setting = setting_of(rest);
    return RoundTape::suits(setting.plan_of(0, nullptr), setting.costs.variation);
  };
  EXPECT_TRUE(suits(""));
  EXPECT_FALSE(suits("stragglers: {compute: {kind: exponential, mean: 1 ms}}\n"));
  EXPECT_FALSE(suits("stragglers: {failures: {every: 60 s}}\n"));
  EXPECT_FALSE(suits("software: tensorflow-1\n"));  // its step times vary
  EXPECT_FALSE(suits("update: async\n"));
  EXPECT_FALSE(suits("update: {kind: k-sync, k: 3}\n"));
}

TEST(RoundTapeTest, RoundsThatDifferAreNotRepeated) {
  Plan plan;
  plan.updates = 100;
  RoundTape tape(plan);
  for (std::int64_t round = 1; round <= RoundTape::kRounds; ++round) {
    tape.begun(0, round, Instant{round * 100});
    tape.span({0, round}, Activity::compute, Instant{round * 100}, Instant{round * 100 + round});
    tape.updated(0, round, Instant{round * 100 + 50});
  }
  EXPECT_FALSE(tape.repeats());
}

TEST(RoundTapeTest, OperationsThatDifferAreSeen) {
  const auto repeats = [](std::int64_t late) {
    Plan plan;
    plan.updates = 100;
    RoundTape tape(plan);
    for (std::int64_t round = 1; round <= RoundTape::kRounds; ++round) {
      const std::int64_t begin = round * 100 + (round == RoundTape::kLast - 1 ? late : 0);
      tape.begun(0, round, Instant{round * 100});
      tape.operation({0, StreamKind::push}, Command{}, Instant{begin}, Instant{begin + 10});
      tape.updated(0, round, Instant{round * 100 + 50});
    }
    return tape.repeats();
  };
  EXPECT_TRUE(repeats(0));
  EXPECT_FALSE(repeats(1));
}

}  // namespace
}  // namespace paceline
