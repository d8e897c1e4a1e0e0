// SPDX-License-Identifier: MIT
// What a core that has slept costs the operation that wakes it, against hand computation: a forward
// pass of 10 ms on a computer whose figures were measured after 1 and 3 ms of sleep.
#include <gtest/gtest.h>

#include "sim/devices/simulated_machine.hpp"

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

/// Sleeps `sleep` and computes, so many times.
Task<> sleeps_and_computes(Backend& backend, RoleId me, double sleep, int times) {
  const Stream compute{me, StreamKind::compute};
  for (int i = 0; i < times; ++i) {
    if (sleep > 0) backend.delay(compute, Seconds{sleep}, {me, i});
    const Token done = backend.compute(compute, {Pass::forward, 0, 1}, {me, i});
    co_await backend.finished(me, done);
  }
}

/// Seconds until workers that sleep so long before each of `times` passes have ended.
double run(const Costs& costs, const std::vector<double>& sleeps, int times = 1) {
  HostFigures host;
  host.cores = costs.cores;
  host.copy_bandwidth = host.memory_bandwidth = BytesPerSecond{1e15};
  const Machine machine = this_machine(host);
  const int workers = static_cast<int>(sleeps.size());
  SimulatedMachine clock(machine, costs, std::vector<int>(sleeps.size(), 0), workers, nullptr);
  for (RoleId worker = 0; worker < workers; ++worker) {
    const double sleep = sleeps[static_cast<std::size_t>(worker)];
    clock.start_role(worker, sleeps_and_computes(clock, worker, sleep, times));
  }
  clock.run();
  return to_seconds(clock.now().ps).value();
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

TEST(CoreSleepTest, CostsNothingWhereNothingWasMeasured) {
  Costs costs = costs_of(1);
  costs.after_sleep.clear();
  EXPECT_NEAR(run(costs, {3e-3}, 2), 2 * (3e-3 + kForward), 1e-12);
}

}  // namespace
}  // namespace paceline
