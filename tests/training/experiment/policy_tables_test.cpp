// SPDX-License-Identifier: MIT
#include "training/experiment/policy_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/learning/rates/schedule.hpp"
#include "training/learning/rates/staleness_rule.hpp"
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The table of this name, with its markers.
std::string tables_named(const std::string& name) {
  const std::string all = policy_tables();
  const std::size_t begin = all.find("<!-- generated: " + name + " -->\n");
  const std::size_t end = all.find("<!-- end: " + name + " -->\n");
  EXPECT_TRUE(begin < end && end != std::string::npos) << name;
  return all.substr(begin, end - begin);
}

TEST(PolicyTables, SayTheSameOfEveryPolicy) {
  const std::string overview = tables_named("policies");
  for (const auto& row : family<UpdatePolicy>().rows) {
    EXPECT_THAT(overview, HasSubstr("| [" + row.name + "](policies/" + row.name + ".md) | "));
    const std::string tables = tables_named(row.name);
    for (const char* heading : {"**Keys:**", "**Aggregations:** `parameter-server`"}) {
      EXPECT_THAT(tables, HasSubstr(heading)) << row.name;
    }
    for (const KeyInfo& key : row.keys()) {
      EXPECT_THAT(tables, HasSubstr("| `" + key.name + "` | ")) << row.name;
    }
  }
}

// P = 8: H_8 = 2.71786; the 4th of 8 of Exp(1) takes 0.634524; U(1, 3): 1 + 2 K / 9.
TEST(PolicyTables, ComputeTheirExamples) {
  EXPECT_THAT(tables_named("k-async"),
              HasSubstr("| `k: 4` | 0.6345 s | <= 1.635 s | <= 1.889 s | 1 |\n"));
  EXPECT_THAT(tables_named("sync"), HasSubstr("| none | 2.718 s | 3.718 s | 2.778 s | 0 |\n"));
  EXPECT_THAT(tables_named("k-batch-async"), HasSubstr("| `k: 8` | 1 s | 2 s | 2 s | 0.875 |\n"));
  EXPECT_THAT(tables_named("ssp"),
              HasSubstr("| `slack: 0` | 0.3397 s | 0.4647 s | 0.3472 s | |\n"));
  EXPECT_THAT(tables_named("adasync"), Not(HasSubstr("**Example")));
}

TEST(PolicyTables, HaveAnExampleOfEveryPolicyWithTheory) {
  const Stragglers none;
  const auto workers = TimedWorkers::of(8, Seconds{1}, none);
  for (const auto& row : family<UpdatePolicy>().rows) {
    const std::shared_ptr<const UpdatePolicy> policy = row.blank();
    // a policy may have keys without an example, but a policy with theory and without any example
    // is an oversight
    EXPECT_EQ(policy->theory(*workers).has_value(), !policy->examples().empty()) << row.name;
  }
}

TEST(PolicyTables, NameTheAggregationsThatServeAPolicy) {
  EXPECT_THAT(tables_named("sync"),
              HasSubstr("**Aggregations:** `parameter-server`, `allreduce`, `replicated`, "
                        "`distributed-replicated`, `peer-to-peer`, `gather`, `concatenated`.\n"));
  EXPECT_THAT(tables_named("async"), HasSubstr("**Aggregations:** `parameter-server`.\n"));
}

TEST(PolicyTables, HaveARowOfEveryScheduleAndStalenessRule) {
  for (const auto& row : family<Schedule>().rows) {
    EXPECT_THAT(tables_named("schedules"), HasSubstr("| `" + row.name + "` | " + row.help));
  }
  for (const auto& row : family<StalenessRule>().rows) {
    EXPECT_THAT(
        tables_named("staleness-rules"),
        HasSubstr("| `" + row.name + "` | " + row.blank()->statement().figure.substr(0, 20)));
  }
}

}  // namespace
}  // namespace paceline
