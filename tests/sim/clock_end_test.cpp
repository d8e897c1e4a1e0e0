// SPDX-License-Identifier: MIT
// Experiments that would run beyond the simulated clock, or never end, fail with an error.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string failure_of(const std::string& rest) {
  const ExperimentFile file =
      load_experiment_text("end.yaml", "name: end\nmachine: ideal\nwarmup: 0\n" + rest, {});
  try {
    const Measurement got = simulate(make_prediction(file.points.front(), nullptr));
    return "none: " + print_number(got.iteration_mean.value_or(-1));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ClockEndTest, AManyStepsAreTooLong) {
  EXPECT_EQ(failure_of("model: {kind: synthetic, compute: 1 h, gradient: 4 B}\nworkers: 1\n"
                       "steps: 10000\nupdate: async\n"),
            "the simulated clock ends after 106.7 days, before the arithmetic of worker 0 in "
            "mini-batch 2563 ends (simulate fewer steps or shorter times)");
}

TEST(ClockEndTest, OneMiniBatchIsTooLong) {
  for (const char* slowdown : {"107", "1000", "1e6"}) {
    EXPECT_THAT(failure_of("model: {kind: synthetic, compute: 24 h, gradient: 4 B}\nworkers: 1\n"
                           "steps: 1\nstragglers: {workers: {0: {slowdown: " +
                           std::string(slowdown) + "}}}\n"),
                HasSubstr("106.7 days, before the arithmetic of worker 0 in mini-batch 1 ends"));
  }
}

TEST(ClockEndTest, DelaysAddUpBeyondTheClock) {
  EXPECT_THAT(failure_of("model: {kind: synthetic, compute: 1 s, gradient: 1 MB}\nsteps: 12\n"
                         "stragglers: {compute: {kind: constant, value: 1000000 s}}\n"),
              HasSubstr("106.7 days, before a delay of worker 0 in mini-batch 10 ends"));
}

// Such workers run in lanes; with `slices` they do not.
TEST(ClockEndTest, AllReducesToo) {
  for (const char* algorithm : {"ring", "hierarchical", "nccl", "{kind: ring, slices: 2}"}) {
    EXPECT_THAT(failure_of("model: {kind: synthetic, compute: 10 h}\nworkers: 4\nsteps: 300\n"
                           "aggregation: {kind: allreduce, algorithm: " +
                           std::string(algorithm) + "}\n"),
                HasSubstr("the simulated clock ends after 106.7 days"))
        << algorithm;
  }
}

TEST(ClockEndTest, WorkersThatLiveLongerThanTheClockDoNotDie) {
  EXPECT_EQ(failure_of("model: {kind: synthetic, compute: 1 s, gradient: 4 B}\nsteps: 10\n"
                       "workers: 2\nstragglers: {failures: {every: 1e9 s}}\n"),
            "none: 1");
}

TEST(ClockEndTest, WorkersThatDieFasterThanTheyLearnAreTheEnd) {
  for (const char* update : {"sync", "async", "local-sgd", "downpour", "{kind: ssp, slack: 1}"}) {
    for (const char* failures : {"{every: 1 ms, restart: 1 ms}", "{every: 1 us, restart: 0 s}"}) {
      EXPECT_THAT(failure_of("model: {kind: synthetic, compute: 1 h, gradient: 100 MB}\n"
                             "workers: 2\nsteps: 10\nupdate: " +
                             std::string(update) + "\nstragglers: {failures: " + failures + "}\n"),
                  AllOf(HasSubstr("no update in the last 10000 failures of workers (0 updates made "
                                  "in "),
                        HasSubstr("raise stragglers.failures.every")))
          << update;
    }
  }
}

TEST(ClockEndTest, WorkersThatRarelyFinishGoOn) {
  // One mini-batch in e^4 = 55 is finished.
  EXPECT_THAT(failure_of("model: {kind: synthetic, compute: 4 s, gradient: 4 B}\nworkers: 2\n"
                         "steps: 10\nstragglers: {failures: {every: 1 s, restart: 1 s}}\n"),
              testing::StartsWith("none: "));
}

}  // namespace
}  // namespace paceline
