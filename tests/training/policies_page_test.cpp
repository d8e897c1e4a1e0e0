// SPDX-License-Identifier: MIT
#include "training/policies_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/policies/update_policy.hpp"
#include "training/rates/staleness_rule.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

/// From the policy's heading to the next one.
std::string section_of(const std::string& policy) {
  const std::string page = policies_page();
  const std::size_t begin = page.find("\n## " + policy + "\n");
  EXPECT_NE(begin, std::string::npos) << policy;
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

TEST(PoliciesPage, SaysTheSameOfEveryPolicy) {
  for (const auto& row : table_of(static_cast<const UpdatePolicy*>(nullptr)).rows) {
    const std::string section = section_of(row.name);
    for (const char* heading :
         {"**Does:** ", "**Steps:**\n\n1. ", "\n4. ", "**Keys:**", "**Expected time:** ",
          "**Staleness:** ", "**Source:** ", "**Served by:** `parameter-server`"}) {
      EXPECT_THAT(section, HasSubstr(heading)) << row.name;
    }
    for (const KeyInfo& key : row.keys()) {
      EXPECT_THAT(section, HasSubstr("| `" + key.name + "` | ")) << row.name;
    }
    EXPECT_FALSE(row.blank()->statement().does.empty());
  }
}

// P = 8: H_8 = 2.71786; the 4th of 8 of Exp(1) takes 0.634524; U(1, 3): 1 + 2 K / 9.
TEST(PoliciesPage, ComputesItsExamples) {
  EXPECT_THAT(section_of("k-async"),
              HasSubstr("| `k: 4` | 0.6345 s | <= 1.635 s | <= 1.889 s | 1 |\n"));
  EXPECT_THAT(section_of("sync"), HasSubstr("| none | 2.718 s | 3.718 s | 2.778 s | 0 |\n"));
  EXPECT_THAT(section_of("k-batch-async"), HasSubstr("| `k: 8` | 1 s | 2 s | 2 s | 0.875 |\n"));
  EXPECT_THAT(section_of("ssp"), HasSubstr("| `slack: 0` | 0.3397 s | 0.4647 s | 0.3472 s | |\n"));
  EXPECT_THAT(section_of("adasync"), Not(HasSubstr("**Example")));
}

TEST(PoliciesPage, SaysWhoElseServesAPolicy) {
  EXPECT_THAT(section_of("sync"),
              HasSubstr("**Served by:** `parameter-server`, `allreduce`, `replicated`.\n"));
  EXPECT_THAT(section_of("async"), HasSubstr("**Served by:** `parameter-server`.\n"));
}

TEST(PoliciesPage, HasARowOfEveryStalenessRule) {
  const std::string page = policies_page();
  for (const auto& row : table_of(static_cast<const StalenessRule*>(nullptr)).rows) {
    EXPECT_THAT(
        page, HasSubstr("| `" + row.name + "` | " + row.blank()->statement().figure.substr(0, 20)));
  }
}

}  // namespace
}  // namespace paceline
