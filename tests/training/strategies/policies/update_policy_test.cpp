// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {
namespace {

Choice<UpdatePolicy> policy_of(const std::string& yaml) {
  Diagnostics diagnostics;
  Choice<UpdatePolicy> choice;
  Value<Choice<UpdatePolicy>>::read(choice, parse_yaml("policy", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

Rule rule_of(const std::string& yaml, int workers) {
  return policy_of(yaml)->rule(workers);
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

// The legal pairs of the two tables. A new policy or aggregation is added here on purpose.
TEST(UpdatePolicyTest, LegalPairsAreThese) {
  const auto served = [](const char* aggregation) {
    return updates_served(*Choice<Aggregation>(aggregation));
  };
  const std::vector<std::string> all_workers = {"sync", "local-sgd"};
  EXPECT_EQ(served("parameter-server"), family<UpdatePolicy>().names());
  EXPECT_EQ(served("allreduce"), all_workers);
  EXPECT_EQ(served("replicated"), all_workers);
  EXPECT_EQ(served("distributed-replicated"), all_workers);
  EXPECT_EQ(served("peer-to-peer"), all_workers);
  EXPECT_EQ(served("gather"), std::vector<std::string>{"sync"});
  EXPECT_EQ(served("concatenated"), std::vector<std::string>{"sync"});
  EXPECT_EQ(served("independent"), std::vector<std::string>());
  EXPECT_EQ(family<Aggregation>().rows.size(), 8U);
}

TEST(UpdatePolicyTest, WhatIsServedDoesNotDependOnTheKeys) {
  const Choice<Aggregation> allreduce("allreduce");
  EXPECT_FALSE(allreduce->serves(*policy_of("{kind: k-sync, k: 100 %}")));
  EXPECT_TRUE(allreduce->serves(*policy_of("{kind: local-sgd, every: 1}")));
}

TEST(UpdatePolicyTest, APolicyThatTakesAllWorkersHasARuleForAllOfThem) {
  for (const auto& row : family<UpdatePolicy>().rows) {
    const std::shared_ptr<const UpdatePolicy> policy = row.blank();
    if (!policy->takes_all_workers()) continue;
    const Rule rule = policy->rule(7);
    EXPECT_EQ(rule.gradients, 7) << row.name;
    EXPECT_TRUE(rule.current_only && rule.restart == Restart::everyone) << row.name;
    EXPECT_FALSE(rule.goes_on || rule.slack) << row.name;
    EXPECT_EQ(rule.adaptation.window + rule.exchange.push_every, 0) << row.name;
  }
}

TEST(UpdatePolicyTest, NeedsFollowFromTheRule) {
  for (const auto& row : family<UpdatePolicy>().rows) {
    const std::shared_ptr<const UpdatePolicy> policy = row.blank();
    const Rule rule = policy->rule(4);
    EXPECT_EQ(policy->needs_loss(), rule.adaptation.window > 0) << row.name;
    EXPECT_EQ(policy->computes_on_last_fetch(), rule.exchange.push_every == 0) << row.name;
  }
}

TEST(UpdatePolicyTest, TheDefaultIsTheFirstThatIsServed) {
  for (const char* aggregation : {"parameter-server", "allreduce", "replicated"}) {
    EXPECT_EQ(default_update(*Choice<Aggregation>(aggregation)).value().kind(), "sync");
  }
  EXPECT_FALSE(default_update(*Choice<Aggregation>("independent")));
}

}  // namespace
}  // namespace paceline
