// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/training/strategies/twelve_parameters.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {
namespace {

// The buffers that the roles of each aggregation declare for 3 workers.
TEST(DeclaredBuffersTest, ARoleDeclaresWhatItsProgramUses) {
  const auto arrays = [](const char* aggregation, const Plan& plan, RoleId role) {
    const RoleBuffers buffers = Choice<Aggregation>(aggregation)->buffers(plan, role);
    return buffers.parameters() / buffers.part.size();
  };
  Plan plan = plan_of(3, 0);
  plan.schedule = ring(3);
  EXPECT_EQ(arrays("allreduce", plan, 0), 3) << "the ring has a landing";
  EXPECT_EQ(arrays("independent", plan, 0), 2);
  plan.workers = 1;
  plan.schedule = nullptr;
  EXPECT_EQ(arrays("allreduce", plan, 0), 2) << "there is no neighbour";
  plan = plan_of(3, 1);
  EXPECT_EQ(arrays("parameter-server", plan, 0), 2);
  EXPECT_EQ(arrays("parameter-server", plan, 3), 3 + 3) << "landings, and versions of sync";
  plan.rule.gradients = 2;
  EXPECT_EQ(arrays("parameter-server", plan, 3), 3 + 7) << "slow fetches keep versions";
  plan.rule.goes_on = true;
  EXPECT_EQ(arrays("parameter-server", plan, 3), 3 + 7 + 1)
      << "landings are free before the update";
  plan.rule.exchange = {4, 4};
  EXPECT_EQ(arrays("parameter-server", plan, 0), 5)
      << "two accrual buffers and weights that arrive";
  EXPECT_EQ(arrays("parameter-server", plan, 3), 6 + 7);
  plan = plan_of(3, 1);
  plan.replicas = true;
  EXPECT_EQ(arrays("replicated", plan, 3), 6) << "even and odd versions";
  plan.weighs_gradients = true;
  EXPECT_FALSE(plan.sums_apart()) << "a replica's gradient is never stale";
}

}  // namespace
}  // namespace paceline
