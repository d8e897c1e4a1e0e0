// SPDX-License-Identifier: MIT
#include "training/strategies/worker_death.hpp"

#include <gtest/gtest.h>

#include "tests/training/strategies/scripted_backend.hpp"
#include "tests/training/strategies/twelve_parameters.hpp"
#include "training/strategies/downpour.hpp"
#include "training/strategies/downpour_messages.hpp"
#include "training/strategies/parameter_server.hpp"
#include "training/strategies/parameter_server_messages.hpp"

namespace paceline {
namespace {

constexpr RoleId kWorker = 0, kServer = 1;
constexpr Stream kTimers{kWorker, StreamKind::input};

// A worker dies with its push under way, which the device completes. Its replacement begins as long
// after the death as the file says, not after the push.
class RestartTest : public testing::TestWithParam<bool> {
 protected:
  static Plan plan_of_mortals() {
    Plan plan = plan_of(1, 1);
    plan.rule.exchange = GetParam() ? Exchange{1, 1} : Exchange{};
    plan.mortality.lifetime = [](RoleId, std::int32_t) { return Seconds{60}; };
    plan.mortality.restart = Seconds{2};
    return plan;
  }
  void start() {
    if (!GetParam()) {
      backend_.start(kWorker, parameter_server_worker(plan_, backend_, kWorker));
      return backend_.deliver(kWorker,
                              parameter_server::Kinds::make(kServer, parameter_server::Weights{}));
    }
    backend_.start(kWorker, downpour_replica(plan_, backend_, kWorker));
    backend_.deliver(kWorker, downpour::Kinds::make(kServer, downpour::Weights{}));
    backend_.end(backend_.nth<Command::Copy>(1, fetch_of(kWorker)));
    end_mini_batch_of_replica();
  }
  void end_mini_batch_of_replica() {
    backend_.end(backend_.nth<Command::Assign>(1, compute_of(kWorker)));
    for (int n = 1; n <= 2 * kBuckets; ++n) {
      backend_.end(backend_.nth<Command::Compute>(n, compute_of(kWorker)));
    }
    backend_.end(backend_.nth<Command::Reduce>(1, compute_of(kWorker)));
  }

  Plan plan_ = plan_of_mortals();
  ScriptedBackend backend_{2, {kWorker}};
};

TEST_P(RestartTest, WaitsForNoCopyOfTheDead) {
  start();
  const Token push = backend_.nth<Command::Copy>(1, push_of(kWorker));
  ASSERT_NE(push, Token{});
  backend_.end(backend_.nth<Command::Delay>(1, kTimers));
  ASSERT_EQ(backend_.killed().size(), 1U);
  const Token restart = backend_.nth<Command::Delay>(2, kTimers);
  ASSERT_NE(restart, Token{});
  EXPECT_EQ(backend_.command<Command::Delay>(restart).ps, to_ps(Seconds{2}));
  EXPECT_FALSE(backend_.follows(restart, push));
}

INSTANTIATE_TEST_SUITE_P(Strategies, RestartTest, testing::Bool(), [](const auto& one) {
  return one.param ? "Downpour" : "ParameterServer";
});

// Where its arithmetic failed, the timer of its lifetime is still in the stream.
TEST(RestartOfFailedTest, DoesNotWaitForALifetimeThatGoesOn) {
  Plan plan = plan_of(1, 1);
  plan.mortality.lifetime = [](RoleId, std::int32_t) { return Seconds{60}; };
  plan.mortality.restart = Seconds{2};
  ScriptedBackend backend(2, {kWorker});
  backend.start(kWorker, parameter_server_worker(plan, backend, kWorker));
  backend.deliver(kWorker, MachineMessages::make(kMachine, ArithmeticFailed{{kWorker, 0}}));
  EXPECT_EQ(backend.count<Command::Delay>(kTimers), 1);
  EXPECT_EQ(backend.count<Command::Delay>(push_of(kWorker)), 1);
}

}  // namespace
}  // namespace paceline
