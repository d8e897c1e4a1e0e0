// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

std::string why_it_failed(const std::string& update, int seed) {
  const std::string text =
      "name: death\nmodel: {kind: synthetic, compute: 1 us, gradient: 4 B}\nmachine: ideal\n"
      "steps: 10000\nworkers: 8\nstragglers:\n"
      "  compute: {kind: exponential, mean: 1 s, applies: total}\n  failures: {every: 2000 s}\n"
      "update: " +
      update + "\nseed: " + std::to_string(seed) + "\n";
  const ExperimentFile file = load_experiment_text("death.yaml", text, {});
  try {
    simulate(make_prediction(file.points.front(), nullptr));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "it did not";
}

// A worker that waits for the others has given its gradient already: the update in hand can still
// be made without it, the next one cannot. So the first death ends the run, a second one never
// comes.
TEST(DeathTest, TooFewWorkersEndTheRunAtOnce) {
  for (int seed = 1; seed <= 20; ++seed) {
    for (const char* update : {"sync", "{kind: k-async, k: 8}", "local-sgd"}) {
      const std::string why = why_it_failed(update, seed);
      EXPECT_NE(why.find(" died (its lifetime was over), 7 of 8 are left and an update takes "
                         "gradients of 8"),
                std::string::npos)
          << update << " " << seed << ": " << why;
    }
  }
}

TEST(DeathTest, PoliciesThatNeedOneWorkerGoOnToTheLast) {
  for (const char* update : {"async", "{kind: k-batch-sync, k: 8}", "ssp"}) {
    EXPECT_NE(why_it_failed(update, 1).find("0 of 8 are left"), std::string::npos) << update;
  }
  EXPECT_NE(why_it_failed("downpour", 1).find("none of 8 is left"), std::string::npos);
}

}  // namespace
}  // namespace paceline
