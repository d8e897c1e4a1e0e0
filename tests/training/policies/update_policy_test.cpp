// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

#include <gtest/gtest.h>

#include "experiments/yaml.hpp"
#include "training/aggregations/aggregation.hpp"

namespace paceline {
namespace {

Rule rule_of(const std::string& yaml, int workers) {
  Diagnostics diagnostics;
  Choice<UpdatePolicy> choice;
  Value<Choice<UpdatePolicy>>::read(choice, parse_yaml("policy", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice->rule(workers);
}

TEST(UpdatePolicyTest, SyncTakesOneGradientOfEveryWorker) {
  const Rule rule = rule_of("sync", 7);
  EXPECT_EQ(rule.gradients, 7);
  EXPECT_TRUE(rule.current_only);
  EXPECT_EQ(rule.restart, Restart::everyone);
}

TEST(UpdatePolicyTest, KMayBeACountOrAShareRoundedUp) {
  EXPECT_EQ(rule_of("{kind: k-sync, k: 3}", 8).gradients, 3);
  EXPECT_EQ(rule_of("{kind: k-sync, k: 50 %}", 7).gradients, 4);
  EXPECT_EQ(rule_of("{kind: k-async, k: 25 %}", 1).gradients, 1);
}

TEST(UpdatePolicyTest, AsyncPoliciesTakeStaleGradientsAndRestartTheirSendersOnly) {
  for (const char* yaml : {"async", "{kind: k-async, k: 1}"}) {
    const Rule rule = rule_of(yaml, 8);
    EXPECT_EQ(rule.gradients, 1);
    EXPECT_FALSE(rule.current_only);
    EXPECT_EQ(rule.restart, Restart::contributors);
  }
}

TEST(UpdatePolicyTest, EveryPolicyIsServedByTheParameterServerAndEveryRowIsKnown) {
  const Family<UpdatePolicy>& policies = table_of(static_cast<const UpdatePolicy*>(nullptr));
  EXPECT_EQ(updates_served("parameter-server"), policies.names());
  for (const auto& row : table_of(static_cast<const Aggregation*>(nullptr)).rows) {
    for (const std::string& update : updates_served(row.name)) {
      EXPECT_NE(policies.find(update), nullptr) << update;
    }
  }
}

}  // namespace
}  // namespace paceline
