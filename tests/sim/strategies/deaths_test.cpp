// SPDX-License-Identifier: MIT
// Deaths by hand: their times are given, so that each line of time can be worked out on paper; and
// many deaths by chance on a machine where everything takes time.
#include <algorithm>
#include <limits>

#include <gmock/gmock.h>

#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/strategies/death_story.hpp"
#include "tests/training/strategies/sound_run.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DeathTest, GradientsBeforeADeathCountAndTheNextUpdateNamesTheDeadWorker) {
  Scenario scenario{"sync", {10, 20}, {{{0, 0}, 35}}, {}, 5};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events),
            "worker 0 died (its lifetime was over), 1 of 2 are left and an update takes gradients "
            "of 2");
  EXPECT_THAT(events.taken, ElementsAre("0.0 into 1", "1.0 into 1", "0.1 into 2", "1.1 into 2"));
  EXPECT_THAT(events.lost, IsEmpty());
  EXPECT_THAT(events.waits, ElementsAre("0: 10 to 20", "0: 30 to 35"));
}

TEST(DeathTest, AWorkerThatDiesDuringAMiniBatchIsMissedAtOnce) {
  Scenario scenario{"sync", {10, 20}, {{{1, 0}, 35}}, {}, 5};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events),
            "worker 1 died (its lifetime was over), 1 of 2 are left and an update takes gradients "
            "of 2");
  EXPECT_THAT(events.lost, ElementsAre("1.1 at 35"));
}

// Two mini-batches of the gradient have ended, and the third is under way.
TEST(DeathTest, AllMiniBatchesOfAGradientAreLostWithIt) {
  for (const std::string update : {"{kind: sync, accumulate: 4}", "{kind: local-sgd, every: 4}"}) {
    Scenario scenario{update, {10, 10}, {{{0, 0}, 25}}, 5, 2};
    EventRecorder events(2);
    EXPECT_EQ(run(scenario, events), "") << update;
    EXPECT_THAT(events.lost, ElementsAre("0.0 at 25", "0.1 at 25", "0.2 at 25", "0.3 at 25"));
  }
  Scenario scenario{"{kind: downpour, push_every: 4}", {10, 10}, {{{0, 0}, 65}}, 5, 4};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "");
  EXPECT_THAT(events.lost, ElementsAre("0.4 at 65", "0.5 at 65", "0.6 at 65"));
}

TEST(DeathTest, AReplacementStartsWithTheWeightsThatTheOthersHave) {
  Scenario scenario{"sync", {10, 20}, {{{0, 0}, 35}}, 10, 3};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "");
  // back at 45, after the update at 40 that took its predecessor's gradient
  EXPECT_THAT(events.begins, ElementsAre("0.0 at 0", "1.0 at 0", "0.1 at 20", "1.1 at 20",
                                         "1.2 at 40", "0.2 at 45"));
  EXPECT_THAT(events.updates, ElementsAre("1 at 20", "2 at 40", "3 at 60"));
  EXPECT_THAT(events.lost, IsEmpty());
  EXPECT_THAT(events.waits,
              ElementsAre("0: 10 to 20", "0: 30 to 35", "0: 35 to 45", "0: 55 to 60"));
}

TEST(DeathTest, AReplacementWhosePredecessorGaveWaitsForTheUpdate) {
  Scenario scenario{"sync", {10, 20}, {{{0, 0}, 32}}, 3, 2};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "");
  EXPECT_THAT(events.begins, ElementsAre("0.0 at 0", "1.0 at 0", "0.1 at 20", "1.1 at 20"));
  EXPECT_THAT(events.updates, ElementsAre("1 at 20", "2 at 40"));
  EXPECT_THAT(events.waits,
              ElementsAre("0: 10 to 20", "0: 30 to 32", "0: 32 to 35", "0: 35 to 40"));
}

TEST(DeathTest, AReplacementIsHeldBackAsItsPredecessorWas) {
  Scenario scenario{"{kind: ssp, slack: 1}", {1, 10}, {{{0, 0}, 5}}, 1, 6};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "");
  EXPECT_THAT(events.begins, ElementsAre("0.0 at 0", "1.0 at 0", "0.1 at 1", "0.2 at 10",
                                         "1.1 at 10", "0.3 at 20", "1.2 at 20"));
}

TEST(DeathTest, AReplacementNeedNotCatchUp) {
  // worker 1 dies at 15 ms with none completed, so no worker holds back worker 0; when its
  // replacement comes at 25.3 ms the other has completed 13, and may complete slack + 1 more
  Scenario scenario{"{kind: ssp, slack: 2}", {1, 20}, {{{1, 0}, 15}}, 10.3, 20};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "");
  EXPECT_THAT(
      events.begins,
      ElementsAre("0.0 at 0", "1.0 at 0", "0.1 at 1", "0.2 at 2", "0.3 at 15", "0.4 at 16",
                  "0.5 at 17", "0.6 at 18", "0.7 at 19", "0.8 at 20", "0.9 at 21", "0.10 at 22",
                  "0.11 at 23", "0.12 at 24", "0.13 at 25", "1.1 at 25.3", "0.14 at 26",
                  "0.15 at 27", "0.16 at 45.3", "1.2 at 45.3", "0.17 at 65.3", "1.3 at 65.3"));
}

TEST(DeathTest, AGradientThatIsBeingAppliedIsNotLostWithItsWorker) {
  Scenario scenario{"async", {10, 100}, {{{0, 0}, 12}}, {}, 2, 5};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "");
  EXPECT_THAT(events.taken, ElementsAre("0.0 into 1", "1.0 into 2"));
  EXPECT_THAT(events.updates, ElementsAre("1 at 15", "2 at 105"));
  EXPECT_THAT(events.lost, IsEmpty());
}

TEST(DeathTest, KAsyncCannotDoWithFewerThanKWorkers) {
  Scenario scenario{"{kind: k-async, k: 2}", {10, 20}, {{{0, 0}, 25}}, {}, 5};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events),
            "worker 0 died (its lifetime was over), 1 of 2 are left and an update takes gradients "
            "of 2");
}

TEST(DeathTest, TheLastDeathEndsTheRun) {
  for (const char* update : {"async", "{kind: k-batch-async, k: 2}", "{kind: ssp, slack: 1}"}) {
    Scenario scenario{update, {10, 10}, {{{0, 0}, 12}, {{1, 0}, 34}}, {}, 100};
    EventRecorder events(2);
    EXPECT_EQ(run(scenario, events),
              "worker 1 died (its lifetime was over), 0 of 2 are left and an update takes "
              "gradients of 1");
  }
  Scenario scenario{"downpour", {10, 10}, {{{0, 0}, 12}, {{1, 0}, 34}}, {}, 100};
  EventRecorder events(2);
  EXPECT_EQ(run(scenario, events), "worker 1 died (its lifetime was over), none of 2 is left");
}

TEST(DeathTest, KSyncGoesOnAsLongAsKAreLeft) {
  Scenario scenario{"{kind: k-sync, k: 2}", {10, 20, 30}, {{{0, 0}, 25}}, {}, 3};
  EventRecorder events(3);
  EXPECT_EQ(run(scenario, events), "");
  // the two that are left are as slow as the slower
  EXPECT_THAT(events.updates, ElementsAre("1 at 20", "2 at 50", "3 at 80"));
}

TEST(DeathTest, AKThatHasGrownFallsToTheWorkersThatAreLeft) {
  // no gradients are computed here, and a loss that is no number makes K all workers
  Scenario scenario{"{kind: adasync, k: 1, window: 1}", {10, 20, 30}, {{{2, 0}, 25}}, {}, 5};
  EventRecorder events(3);
  EXPECT_EQ(run(scenario, events), "");
  EXPECT_THAT(events.updates, ElementsAre("1 at 10", "2 at 25", "3 at 45"));
  EXPECT_THAT(events.lost, ElementsAre("2.0 at 25"));
}

// ---- by chance, on a machine where everything takes time

class ChanceTest : public testing::TestWithParam<std::string> {};

TEST_P(ChanceTest, NothingIsLostOrTakenTwice) {
  for (const char* placement : {"{kind: parameter-server, shards: 2, bucket: 1 MB}",
                                "{kind: parameter-server, placement: sharded-gpus}"}) {
    const std::string text =
        "name: chance\nmodel: {kind: synthetic, compute: 10 ms, gradient: 40 MB}\n"
        "machine: dgx1-p100\nworkers: 6\nsteps: 300\nupdate: " +
        GetParam() + "\naggregation: " + placement +
        "\nstragglers:\n  compute: {kind: exponential, mean: 5 ms}\n"
        "  failures: {every: 0.3 s, restart: 30 ms}\n";
    const ExperimentFile file = load_experiment_text("chance.yaml", text, {});
    Prediction setting = make_prediction(file.points.front(), nullptr);
    setting.counting.keep_gradients = true;
    Recorder recorder(setting.counting);
    simulate_once(setting, 0, recorder);
    const Measurement got = recorder.result();
    EXPECT_GT(*got.failures, 50);
    expect_sound(recorder.gradients(), setting.plan, true);
    const auto taken = std::count_if(recorder.gradients().begin(), recorder.gradients().end(),
                                     [](const GradientEvent& event) { return event.applied >= 0; });
    EXPECT_EQ(taken, setting.plan.gradients);
    EXPECT_LE(*got.compute + *got.delay + *got.wait, *got.step_mean * (1 + 1e-9));
  }
}

INSTANTIATE_TEST_SUITE_P(Updates, ChanceTest,
                         testing::Values("sync", "{kind: k-sync, k: 4}",
                                         "{kind: k-batch-sync, k: 4}", "async",
                                         "{kind: k-async, k: 3}", "{kind: k-batch-async, k: 4}",
                                         "{kind: ssp, slack: 1}", "{kind: ssp, slack: 0}",
                                         "{kind: downpour, push_every: 1, fetch_every: 3}",
                                         "{kind: local-sgd, every: 4}"));

/// Checks at each begin that the worker is not ahead of the slowest by more than the slack.
class Leads final : public Observer {
 public:
  Leads(int workers, int slack)
      : completed_(static_cast<std::size_t>(workers), 0),
        alive_(completed_.size(), true),
        slack_(slack) {}
  void begun(RoleId worker, std::int64_t, Instant) override {
    EXPECT_LE(completed_[static_cast<std::size_t>(worker)] - slowest(-1), slack_);
    ++begins_;
  }
  void accepted(RoleId worker, std::int64_t, std::int64_t, std::int64_t) override {
    const std::int64_t mine = ++completed_[static_cast<std::size_t>(worker)];
    EXPECT_LE(mine - slowest(-1), slack_ + 1);
  }
  void died(RoleId worker, Instant) override { alive_[static_cast<std::size_t>(worker)] = false; }
  void span(WorkId work, Activity activity, Instant, Instant) override {
    const auto worker = static_cast<std::size_t>(work.worker);
    if (activity != Activity::wait || work.step >= 0 || alive_[worker]) return;
    alive_[worker] = true;  // its replacement has come
    const std::int64_t others = slowest(work.worker);
    if (others < kNobody) completed_[worker] = std::max(completed_[worker], others);
  }
  int begins() const { return begins_; }

 private:
  static constexpr std::int64_t kNobody = std::numeric_limits<std::int64_t>::max();
  std::int64_t slowest(RoleId but) const {
    std::int64_t least = kNobody;
    for (std::size_t i = 0; i < completed_.size(); ++i) {
      if (alive_[i] && static_cast<RoleId>(i) != but) least = std::min(least, completed_[i]);
    }
    return least;
  }
  std::vector<std::int64_t> completed_;
  std::vector<bool> alive_;
  int slack_;
  int begins_ = 0;
};

TEST(LeadTest, NoWorkerIsFurtherAheadThanTheSlackWhicheverDies) {
  for (const int slack : {0, 1, 3}) {
    const std::string text =
        "name: lead\nmodel: {kind: synthetic, compute: 0 s, gradient: 4 B}\nmachine: ideal\n"
        "software: ideal\nworkers: 6\nsteps: 2000\nupdate: {kind: ssp, slack: " +
        std::to_string(slack) +
        "}\nstragglers:\n  compute: {kind: exponential, mean: 5 ms}\n"
        "  failures: {every: 0.2 s, restart: 30 ms}\n";
    const ExperimentFile file = load_experiment_text("lead.yaml", text, {});
    const Prediction setting = make_prediction(file.points.front(), nullptr);
    Leads leads(6, slack);
    const Plan plan = setting.plan_of(0, &leads);
    SimulatedMachine clock(*setting.machine, setting.costs, setting.vertices, plan.workers, &leads);
    for (RoleId role = 0; role < plan.roles(); ++role) {
      clock.start_role(role, (*setting.point->experiment.aggregation).program(plan, clock, role));
    }
    clock.run();
    EXPECT_GT(leads.begins(), 12'000);
  }
}

// With lives of mean L and restarts after R, one mini-batch of T in e^(T/L) is finished: an update
// takes (L + R) (e^(T/L) - 1), however many layers the mini-batch has.
TEST(DeathTest, AnUpdateTakesAsLongAsTheClosedFormSays) {
  const double expected = (2 + 0.5) * std::expm1(2.0 / 2);
  for (const int tensors : {1, 7, 1000}) {
    const std::string text =
        "name: form\nmachine: ideal\nsoftware: ideal\nworkers: 1\nupdate: async\nsteps: 20000\n"
        "model: {kind: synthetic, compute: 2 s, gradient: 4 kB, tensors: " +
        std::to_string(tensors) + "}\nstragglers: {failures: {every: 2 s, restart: 0.5 s}}\n";
    const ExperimentFile file = load_experiment_text("form.yaml", text, {});
    const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
    EXPECT_NEAR(*got.iteration_mean, expected, 0.03 * expected) << tensors;
    EXPECT_EQ(why_impossible(got, 1e-9), "") << tensors;
  }
}

TEST(DeathTest, ThePartsOfAStepAddUpWhicheverWorkerDies) {
  for (const std::string& update : updates_served(*Choice<Aggregation>("parameter-server"))) {
    if (Choice<UpdatePolicy>(update)->needs_loss()) continue;  // a simulation would have to train
    const std::string text =
        "name: parts\nmachine: 8xp100-pcie\nworkers: 4\nsteps: 300\nupdate: " + update +
        "\nmodel: {kind: synthetic, compute: 0.2 s, gradient: 100 MB, tensors: 3}\n"
        "stragglers:\n  compute: {kind: exponential, mean: 50 ms}\n"
        "  failures: {every: 1 s, restart: 0.1 s}\n";
    const ExperimentFile file = load_experiment_text("parts.yaml", text, {});
    const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
    EXPECT_EQ(why_impossible(got, 1e-9), "") << update;
    EXPECT_GT(*got.failures, 10) << update;
  }
}

}  // namespace
}  // namespace paceline
