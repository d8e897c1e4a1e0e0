// SPDX-License-Identifier: MIT
// Workers die and are replaced: both clocks must take and cancel the same gradients all the same,
// and no gradient may be lost, taken twice, or taken from the dead.
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"
#include "tests/training/strategies/sound_run.hpp"

namespace paceline {
namespace {

constexpr int kWorkers = 5;

struct Case {
  std::string update;
  int shards = 1;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.update << " on " << c.shards << " shards";
}

/// Every update that the parameter server serves, and variants.
std::vector<Case> all_updates() {
  std::vector<std::string> updates = updates_served(*Choice<Aggregation>("parameter-server"));
  for (const char* update :
       {"{kind: k-sync, k: 1}", "{kind: k-batch-sync, k: 4}", "{kind: k-async, k: 5}",
        "{kind: k-batch-async, k: 4}", "{kind: ssp, slack: 0}", "{kind: ssp, slack: 1}",
        "{kind: downpour, push_every: 3, fetch_every: 2}", "{kind: local-sgd, every: 3}",
        "{kind: adasync, k: 1, window: 5, base: k-batch-async}"}) {
    updates.emplace_back(update);
  }
  std::vector<Case> cases;
  for (const std::string& update : updates) {
    for (const int shards : {1, 3}) cases.push_back({update, shards});
  }
  return cases;
}

ExperimentFile experiment(const Case& c, const std::string& failures) {
  const std::string text =
      "name: failures\nseed: 110\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: "
      "4}\nmachine: this\n"
      "batch: 4\nsteps: 30\nwarmup: 2\ntrain: {evaluate: 1, held_out: 64}\nworkers: " +
      std::to_string(kWorkers) + "\nupdate: " + c.update +
      "\naggregation: {kind: parameter-server, bucket: 200 B, shards: " + std::to_string(c.shards) +
      "}\nstragglers:\n  compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}\n"
      "  failures: " +
      failures + "\n";
  return load_experiment_text("failures.yaml", text, {});
}

/// One point on both clocks.
struct Both {
  ExperimentFile file;
  Profile profile;
  Prediction setting;
  ClockRun simulated, real;
  Both(const Case& c, const std::string& failures)
      : file(experiment(c, failures)),
        profile(free_computer(file.points.front())),
        setting(make_prediction(file.points.front(), &profile)) {
    setting.counting.keep_gradients = true;
    simulated = on_simulator(setting);
    real = on_threads(setting);
  }
  void expect_one_order() const {
    const Order predicted(simulated.events);
    const Order measured(real.events);
    EXPECT_EQ(predicted.accepted, measured.accepted);
    EXPECT_EQ(predicted.cancelled, measured.cancelled);
    EXPECT_EQ(simulated.status, real.status);
    if (real.status != "ok") return;
    expect_one_curve(simulated.curve, real.curve);
    expect_one_measurement(simulated.result, real.result);
  }
};

class FailuresTest : public testing::TestWithParam<Case> {};

TEST_P(FailuresTest, TheReplacedAreMissedAlikeOnBothClocks) {
  const Both both(GetParam(), "{every: 60 ms, restart: 15 ms}");
  EXPECT_EQ(both.real.status, "ok");
  EXPECT_GT(*both.real.result.failures, 5);
  both.expect_one_order();
  expect_sound(both.real.events, both.setting.plan, both.real.status == "ok");
  const double items = static_cast<double>(both.setting.counting.gradients) * 4;
  EXPECT_GE(both.real.curve.back().items, items);
  EXPECT_LT(both.real.curve.back().items, items + kWorkers * 4);
  EXPECT_LT(both.real.curve.back().loss, both.real.curve.front().loss);
}

TEST_P(FailuresTest, AWorkerThatIsNotReplacedIsMissedAlikeOnBothClocks) {
  const Both both(GetParam(), "{every: 1.5 s}");
  EXPECT_EQ(*both.real.result.failures, 1);  // as this seed has it
  both.expect_one_order();
  expect_sound(both.real.events, both.setting.plan, both.real.status == "ok");
  const Rule& rule = both.setting.plan.rule;
  const int needed = rule.goes_on || rule.exchange.push_every > 0 ? 1 : rule.gradients;
  if (needed == kWorkers) {
    EXPECT_THAT(both.real.status,
                testing::MatchesRegex("failed: worker . died \\(its lifetime was over\\), 4 of 5 "
                                      "are left and an update takes gradients of 5"));
  } else {
    EXPECT_EQ(both.real.status, "ok");
  }
}

TEST_P(FailuresTest, WhenAllHaveDiedThePointHasFailed) {
  const Both both(GetParam(), "{every: 20 ms}");
  EXPECT_THAT(both.real.status, testing::StartsWith("failed: worker "));
  EXPECT_THAT(both.real.status, testing::HasSubstr(" died (its lifetime was over), "));
  both.expect_one_order();
  expect_sound(both.real.events, both.setting.plan, both.real.status == "ok");
}

INSTANTIATE_TEST_SUITE_P(EveryUpdate, FailuresTest, testing::ValuesIn(all_updates()));

}  // namespace
}  // namespace paceline
