// SPDX-License-Identifier: MIT
// Commands on the simulated clock, against hand computation.
#include "sim/devices/simulated_machine.hpp"

#include <gmock/gmock.h>

#include "tests/sim/devices/star.hpp"
#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {
namespace {

std::string failure_of(const Machine& machine, const Costs& costs,
                       const std::vector<Program>& programs) {
  try {
    run(machine, costs, programs);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(SimulatedMachineTest, ADeadlockNamesEachRoleAndWhatItWaitsFor) {
  const Machine machine = star(3);
  const Program ends = [](Backend&) -> Task<> { co_return; };
  const Program receives = [](Backend& backend) -> Task<> { co_await backend.receive(1); };
  const Program expects = [](Backend& backend) -> Task<> {
    const Token arrival = backend.arrival(2, 0);
    co_await backend.finished(2, arrival);
  };
  EXPECT_EQ(failure_of(machine, four_layers(), {ends, receives, expects}),
            "deadlock: 2 of 3 roles are waiting and nothing is in flight (worker 1: receive, "
            "worker 2: an arrival)");
}

TEST(SimulatedMachineTest, ATransferBeyondTheClockIsNoDeadlock) {
  const Machine machine = star(2);
  for (const double bytes : {1e20, 1e300, std::numeric_limits<double>::infinity()}) {
    const Program sender = [bytes](Backend& backend) -> Task<> {
      const Token copied = backend.copy({0, StreamKind::push}, copy_of(0, 1, bytes));
      co_await backend.finished(0, copied);
    };
    const Program idle = [](Backend&) -> Task<> { co_return; };
    EXPECT_EQ(failure_of(machine, four_layers(), {sender, idle}),
              "the simulated clock ends after 106.7 days, before a transfer of worker 0 ends "
              "(simulate fewer steps or shorter times)");
  }
}

TEST(SimulatedMachineTest, ACancelledDelayEndsAtOnceAndItsMessagesAreNotSent) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  const Program victim = [&](Backend& backend) -> Task<> {
    const Token slept = backend.delay({0, StreamKind::compute}, Seconds{5}, {0, 0});
    backend.send(1, Words::make(0, Stop{}), slept, {0, 0});
    const Message message = co_await backend.receive(0);
    EXPECT_TRUE(is_stop(message));
    backend.cancel({0, 0});
    co_await backend.finished(0, slept);
    backend.send(1, Words::make(0, Done{}));
  };
  const Program killer = [](Backend& backend) -> Task<> {
    const Token slept = backend.delay({1, StreamKind::compute}, Seconds{0.5}, {1, 0});
    backend.send(0, Words::make(1, Stop{}), slept);
    const Message answer = co_await backend.receive(1);
    EXPECT_FALSE(is_stop(answer));
  };
  EXPECT_NEAR(run(machine, costs, {victim, killer}), 0.5, 1e-12);
}

TEST(SimulatedMachineTest, RolesThatWaitForEachOtherAreAnError) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  const Program waits = [](Backend& backend) -> Task<> { co_await backend.receive(0); };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_THROW(run(machine, costs, {waits, idle}), std::runtime_error);
}

}  // namespace
}  // namespace paceline
