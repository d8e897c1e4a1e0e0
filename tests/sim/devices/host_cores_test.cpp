// SPDX-License-Identifier: MIT
// The cost of waking a core that has slept, against hand computation: a forward pass of 10 ms on a
// computer with figures measured after 1 and 3 ms of sleep.
#include <gtest/gtest.h>

#include "tests/sim/devices/run_on_this_computer.hpp"

namespace paceline {
namespace {

constexpr double kForward = 10e-3;

Costs costs_of(int cores) {
  Costs costs;
  costs.forward.assign(1, Seconds{kForward});
  costs.backward.assign(1, Seconds{kForward});
  costs.cores = cores;
  costs.after_sleep = {{Seconds{1e-3}, Seconds{0.1e-3}}, {Seconds{3e-3}, Seconds{0.5e-3}}};
  return costs;
}

/// Sleeps `sleep` seconds before each of `times` forward passes.
Program sleeps_and_computes(RoleId me, double sleep, int times) {
  return [=](Backend& backend) -> Task<> {
    const Stream compute{me, StreamKind::compute};
    for (int i = 0; i < times; ++i) {
      if (sleep > 0) backend.delay(compute, Seconds{sleep}, {me, i});
      const Token done = backend.compute(compute, {Pass::forward, 0, 1}, {me, i});
      co_await backend.finished(me, done);
    }
  };
}

/// Seconds until workers that sleep so long before each of `times` passes have ended.
double run(const Costs& costs, const std::vector<double>& sleeps, int times = 1) {
  std::vector<Program> programs;
  for (const double sleep : sleeps) {
    programs.push_back(sleeps_and_computes(static_cast<RoleId>(programs.size()), sleep, times));
  }
  return run_on_this_computer(costs, programs);
}

TEST(CoreSleepTest, LiesOnALineBetweenMeasuredLengthsAndIsConstantBeyond) {
  const Costs costs = costs_of(1);
  const auto longer = [&](double sleep) { return run(costs, {sleep}) - sleep - kForward; };
  EXPECT_NEAR(longer(0), 0, 1e-12);
  EXPECT_NEAR(longer(0.5e-3), 0.05e-3, 1e-12);
  EXPECT_NEAR(longer(1e-3), 0.1e-3, 1e-12);
  EXPECT_NEAR(longer(2e-3), 0.3e-3, 1e-12);
  EXPECT_NEAR(longer(3e-3), 0.5e-3, 1e-12);
  EXPECT_NEAR(longer(1), 0.5e-3, 1e-12);
}

TEST(CoreSleepTest, IsPaidOncePerSleep) {
  EXPECT_NEAR(run(costs_of(1), {1e-3}, 5), 5 * (1e-3 + 0.1e-3 + kForward), 1e-12);
}

TEST(CoreSleepTest, AnOperationThatComesToABusyCorePaysNothing) {
  // worker 1 ends its delay while worker 0 computes on the only core
  EXPECT_NEAR(run(costs_of(1), {0, 3e-3}), 2 * kForward, 1e-12);
}

TEST(CoreSleepTest, ASecondCoreSleepsWhileTheFirstWorks) {
  EXPECT_NEAR(run(costs_of(2), {0, 3e-3}), 3e-3 + 0.5e-3 + kForward, 1e-12);
}

TEST(CoreSleepTest, CopiesWakeCoresForNothingAndKeepThemAwake) {
  Costs costs = costs_of(1);
  costs.operation_start = Seconds{1e-6};
  const auto copies_and_computes = [](Backend& backend) -> Task<> {
    const Stream compute{0, StreamKind::compute};
    const Token slept = backend.delay(compute, Seconds{3e-3}, {0, 0});
    const Token copied =
        backend.copy({0, StreamKind::push},
                     {{0, Buffer::gradient}, {1, Buffer::landing}, {0, 1, 4}}, {0, 0}, slept);
    co_await backend.finished(0, copied);
    const Token done = backend.compute(compute, {Pass::forward, 0, 1}, {0, 0});
    co_await backend.finished(0, done);
  };
  // the copy of 4 bytes wakes the core, so that the forward pass finds it awake
  const auto idles = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run_on_this_computer(costs, {copies_and_computes, idles}), 3e-3 + kForward, 5e-6);
}

TEST(CoreSleepTest, CostsNothingWhereNothingWasMeasured) {
  Costs costs = costs_of(1);
  costs.after_sleep.clear();
  EXPECT_NEAR(run(costs, {3e-3}, 2), 2 * (3e-3 + kForward), 1e-12);
}

}  // namespace
}  // namespace paceline
