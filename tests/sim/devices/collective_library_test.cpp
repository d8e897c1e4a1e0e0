// SPDX-License-Identifier: MIT
// The machine's own all-reduce, against hand computation.
#include <gmock/gmock.h>

#include "tests/sim/devices/star.hpp"

namespace paceline {
namespace {

Costs library(double efficiency) {
  Costs costs = four_layers();
  costs.collective.efficiency = Percent{efficiency};
  costs.collective.launch = Seconds{1e-3};
  costs.collective.step_latency = Seconds{1e-4};
  return costs;
}

/// Calls the library after `wait`, and again at once.
Program rank(RoleId me, double wait, int ranks, int calls = 1) {
  return [=](Backend& backend) -> Task<> {
    co_await backend.finished(me, backend.delay({me, StreamKind::input}, Seconds{wait}, {}));
    Token summed;
    for (int call = 0; call < calls; ++call) {
      summed = backend.collective({me, StreamKind::push}, {{0, 1000, 80e6}, ranks});
    }
    co_await backend.finished(me, summed);
  };
}

TEST(CollectiveLibraryTest, ACallTakesItsLaunchItsStepsAndItsBytesOverEveryEdge) {
  // 2(P-1) = 2 steps; 80 MB x 2 x 1/2 over a link of 10 GB/s, of which the protocol reaches 80 %
  EXPECT_NEAR(run(star(2), library(0.8), {rank(0, 0, 2), rank(1, 0, 2)}), 1e-3 + 2e-4 + 80e6 / 8e9,
              1e-9);
}

TEST(CollectiveLibraryTest, ItStartsWhenTheLastRankHasCalled) {
  EXPECT_NEAR(run(star(2), library(1), {rank(0, 0, 2), rank(1, 0.5, 2)}),
              0.5 + 1e-3 + 2e-4 + 80e6 / 10e9, 1e-9);
}

TEST(CollectiveLibraryTest, CallsOfOneStreamFollowEachOther) {
  const double one = 1e-3 + 4e-4 + 80e6 * 4 / 3 / 10e9;  // three ranks
  EXPECT_NEAR(run(star(3), library(1), {rank(0, 0, 3, 2), rank(1, 0, 3, 2), rank(2, 0, 3, 2)}),
              2 * one, 1e-9);
}

TEST(CollectiveLibraryTest, ARankThatNeverCallsIsADeadlock) {
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_THROW(run(star(2), library(1), {rank(0, 0, 2), idle}), std::runtime_error);
}

}  // namespace
}  // namespace paceline
