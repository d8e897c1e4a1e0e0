// SPDX-License-Identifier: MIT
// The simulator against closed forms: order statistics, run times and staleness of every policy
// here, on an ideal machine, from at least 100,000 updates. Values: Dutta et al. 2018
// (arXiv:1803.01113) and Little's law, as in docs/model.md; the same rows as
// tests/training/theory/checks.csv.
#include <algorithm>

#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

struct Case {
  std::string update;
  int workers;
  std::string delay;   ///< a straggler distribution
  double iteration_s;  ///< expected
  bool bound;          ///< an upper bound only
  double staleness;    ///< expected mean
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.update << " P=" << c.workers << " " << c.delay;
}

Measurement simulated(const Case& c, int gradients_per_update) {
  // a round is P/K updates; the more workers, the less an update's time varies
  const std::int64_t updates = std::clamp<std::int64_t>(3'000'000 / c.workers, 101'000, 400'000);
  const std::int64_t steps = updates * gradients_per_update / c.workers + 1;
  const std::string text =
      "name: theory\nmodel: {kind: synthetic, compute: 0 s, gradient: 4 B}\n"
      "machine: ideal\nsoftware: ideal\nwarmup: 100\nsteps: " +
      std::to_string(steps) + "\nworkers: " + std::to_string(c.workers) + "\nupdate: " + c.update +
      "\nstragglers: {compute: " + c.delay + "}\n";
  const ExperimentFile file = load_experiment_text("theory.yaml", text, {});
  return simulate(make_setting(file.points.front(), nullptr));
}

class TheoryTest : public testing::TestWithParam<Case> {};

TEST_P(TheoryTest, SimulationMeetsTheClosedForm) {
  const Case& c = GetParam();
  const std::size_t k_at = c.update.find("k: ");
  const int k = k_at != std::string::npos ? std::stoi(c.update.substr(k_at + 3))
                                          : (c.update == "sync" ? c.workers : 1);
  const Measurement got = simulated(c, k);
  EXPECT_GE(*got.updates, 100'000);
  if (c.bound) {
    EXPECT_LE(*got.iteration_mean, c.iteration_s);
    EXPECT_GT(*got.iteration_mean, 0.1 * c.iteration_s);
  } else {
    EXPECT_NEAR(*got.iteration_mean / c.iteration_s, 1, 0.005);
  }
  EXPECT_NEAR(*got.staleness_mean, c.staleness, std::max(0.02, 0.01 * c.staleness));
}

constexpr const char* kExp = "{kind: exponential, mean: 1 s}";
constexpr const char* kShifted = "{kind: shifted-exponential, shift: 1 s, mean: 2 s}";
constexpr const char* kShiftedHalf = "{kind: shifted-exponential, shift: 1 s, mean: 3 s}";
constexpr const char* kUniform = "{kind: uniform, low: 1 s, high: 3 s}";
constexpr const char* kPareto = "{kind: pareto, minimum: 1 s, shape: 3}";

INSTANTIATE_TEST_SUITE_P(
    ClosedForms, TheoryTest,
    testing::Values(
        // E[X_{K:P}] = (H_P - H_{P-K}) / mu
        Case{"{kind: k-sync, k: 1}", 20, kExp, 0.05, false, 0},
        Case{"{kind: k-sync, k: 10}", 20, kExp, 0.668771, false, 0},
        Case{"sync", 20, kExp, 3.59774, false, 0}, Case{"sync", 8, kExp, 2.71786, false, 0},
        Case{"{kind: k-sync, k: 4}", 8, kExp, 0.634524, false, 0},
        Case{"{kind: k-sync, k: 1}", 8, kExp, 0.125, false, 0},
        Case{"{kind: k-sync, k: 5}", 20, kExp, 0.279511, false, 0},
        Case{"sync", 30, kExp, 3.99499, false, 0},
        Case{"{kind: k-sync, k: 96}", 100, kExp, 3.10404, false, 0},
        Case{"{kind: k-sync, k: 50}", 52, kExp, 3.03804, false, 0},
        Case{"sync", 8, kShifted, 3.71786, false, 0},
        Case{"{kind: k-sync, k: 4}", 8, kShifted, 1.63452, false, 0},
        Case{"sync", 20, kShiftedHalf, 8.19548, false, 0},
        Case{"sync", 8, kUniform, 2.77778, false, 0},
        Case{"{kind: k-sync, k: 4}", 8, kUniform, 1.88889, false, 0},
        Case{"sync", 8, kPareto, 2.74583, false, 0},
        Case{"{kind: k-sync, k: 7}", 8, kPareto, 1.83055, false, 0},
        // K-async: exact for exponential times, a bound where a new draw is longer than an old rest
        Case{"{kind: k-async, k: 1}", 8, kExp, 0.125, false, 7},
        Case{"{kind: k-async, k: 4}", 8, kExp, 0.634524, false, 1},
        Case{"{kind: k-async, k: 8}", 8, kExp, 2.71786, false, 0},
        Case{"{kind: k-async, k: 5}", 20, kExp, 0.279511, false, 3},
        Case{"{kind: k-async, k: 4}", 8, kShifted, 1.63452, true, 1},
        Case{"{kind: k-async, k: 1}", 8, kShifted, 1.125, true, 7},
        // async: E[X] / P whatever the distribution, so that sync / async = P E[X_{P:P}] / E[X]
        Case{"async", 2, kExp, 0.5, false, 1}, Case{"async", 8, kExp, 0.125, false, 7},
        Case{"async", 64, kExp, 1.0 / 64, false, 63}, Case{"sync", 64, kExp, 4.743891, false, 0},
        Case{"async", 8, kShifted, 0.25, false, 7}, Case{"async", 8, kPareto, 1.5 / 8, false, 7}));

}  // namespace
}  // namespace paceline
