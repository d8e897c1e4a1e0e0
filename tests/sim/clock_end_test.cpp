// SPDX-License-Identifier: MIT
// Experiments that would run beyond the simulated clock, or never end, fail with an error.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The mean time of an update, or the message of the point's failure.
std::string outcome_of(const std::string& text, bool by_events = false) {
  const ExperimentFile file = load_experiment_text("end.yaml", "name: end\nwarmup: 0\n" + text, {});
  try {
    Prediction prediction = make_prediction(file.points.front(), nullptr);
    prediction.by_events = by_events;
    const Measurement got = simulate(prediction);
    return "none: " + print_number(got.iteration_mean.value_or(-1));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string failure_of(const std::string& rest) {
  return outcome_of("machine: ideal\n" + rest);
}

/// GPUs on links of a socket.
std::string on_links(const std::string& bandwidth, const std::string& duplex, int gpus) {
  std::string names;
  for (int gpu = 0; gpu < gpus; ++gpu) names += (gpu > 0 ? ", gpu" : "gpu") + std::to_string(gpu);
  return "machine: {gpus: [{model: h200-sxm, count: " + std::to_string(gpus) +
         "}], host: {cores: 8, memory_bandwidth: 100 GB/s}, link_types: {l: {kind: pcie, "
         "bandwidth: " +
         bandwidth + ", duplex: " + duplex +
         ", source: test}}, links: [{type: l, from: cpu0, to: [" + names +
         "]}]}\nworkers: " + std::to_string(gpus) + "\n";
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

// 20 GB over 1 kB/s, 116 days a step; by NCCL's model, by rows of times and by events.
TEST(ClockEndTest, ACopyIsTooLong) {
  for (const char* algorithm : {"ring", "halving-doubling", "hierarchical", "peer-to-peer", "nccl",
                                "{kind: ring, slices: 2}"}) {
    const std::string text = on_links("1 kB/s", "full", 2) +
                             "model: {kind: synthetic, compute: 1 ms, gradient: 20 GB}\nsteps: 2\n"
                             "aggregation: {kind: allreduce, algorithm: " +
                             algorithm + "}\n";
    for (const bool by_events : {false, true})
      EXPECT_THAT(outcome_of(text, by_events),
                  HasSubstr("the simulated clock ends after 106.7 days"))
          << algorithm;
  }
}

// Rounds that are repeated without being simulated again: 2.3 days each, of which 45 fit.
TEST(ClockEndTest, RepeatedRoundsAreTooLong) {
  const std::string text = on_links("1 kB/s", "full", 2) +
                           "model: {kind: synthetic, compute: 1 ms, gradient: 200 MB}\n"
                           "aggregation: {kind: parameter-server}\nsteps: ";
  EXPECT_THAT(outcome_of(text + "10\n"), testing::StartsWith("none: "));
  EXPECT_THAT(outcome_of(text + "10000000\n"), HasSubstr("the simulated clock ends after"));
}

/// A linear congruential generator (Knuth's constants), so that the cases are the same anywhere.
class Cases {
 public:
  template <std::size_t kCount>
  const char* one_of(const char* const (&values)[kCount]) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return values[(state_ >> 33U) % kCount];
  }

 private:
  std::uint64_t state_ = 1;
};

// Sizes from a float to what a GPU holds, rates from the slowest to the fastest: each way of
// simulating finds the same time, or that the clock ends.
TEST(ClockEndTest, AllWaysAgreeAtExtremeSizesAndRates) {
  Cases cases;
  int ended = 0;
  for (int i = 0; i < 120; ++i) {
    const std::string gpus = cases.one_of({"2", "3", "4"});
    const std::string text =
        on_links(cases.one_of({"1 kB/s", "33 kB/s", "10 GB/s", "1000000 GB/s"}),
                 cases.one_of({"full", "half"}), std::stoi(gpus)) +
        "model: {kind: synthetic, compute: " + cases.one_of({"0 s", "1 ms", "24 h"}) +
        ", gradient: " + cases.one_of({"4 B", "4 MB", "1 GB", "10 GB"}) +
        "}\nsteps: " + cases.one_of({"1", "4", "40"}) +
        "\naggregation: {kind: allreduce, algorithm: " +
        cases.one_of({"ring", "halving-doubling", "hierarchical", "double-binary-tree", "nccl",
                      "peer-to-peer", "{kind: ring, slices: 3}"}) +
        "}\n";
    const std::string fast = outcome_of(text), by_events = outcome_of(text, true);
    const std::string kEnd = "the simulated clock ends after 106.7 days";
    const bool ends = fast.starts_with(kEnd);
    ended += ends ? 1 : 0;
    EXPECT_TRUE(ends || fast.starts_with("none: ")) << text << fast;
    EXPECT_EQ(fast.substr(0, ends ? kEnd.size() : fast.size()),
              by_events.substr(0, ends ? kEnd.size() : by_events.size()))
        << text;
    EXPECT_FALSE(fast.starts_with("none: -") || fast.find("nan") != std::string::npos) << text;
  }
  EXPECT_GE(ended, 5);
  EXPECT_LT(ended, 100);
}

// Each step of three ranks has six copies of a third on three links that both directions share.
TEST(ClockEndTest, ThreeGpusOnHalfDuplexLinks) {
  const std::string text = on_links("10 GB/s", "half", 3) +
                           "workload: {kind: collective, op: all-gather, size: 3 MB}\nsteps: 1\n";
  EXPECT_EQ(outcome_of(text), outcome_of(text, true));
  // 2 steps of 2 x 1 MB on each link
  EXPECT_NEAR(std::stod(outcome_of(text).substr(6)), 4e-4, 1e-9);
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
