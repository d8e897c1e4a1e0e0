// SPDX-License-Identifier: MIT
#include "training/learning/rates/staleness_rule.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

Choice<StalenessRule> read(const std::string& yaml, std::string* errors = nullptr) {
  Diagnostics diagnostics;
  Choice<StalenessRule> rule;
  Value<Choice<StalenessRule>>::read(rule, parse_yaml("s", yaml), diagnostics);
  if (errors != nullptr) *errors = join(diagnostics.lines(), "\n");
  return rule;
}

TEST(StalenessRules, MayChangeNothing) {
  const Choice<StalenessRule> rule("none");
  EXPECT_EQ(rule->weight(0.1, 30, 4), 1);
  EXPECT_EQ(rule->rate(0.1, 30), 0.1);
  EXPECT_FALSE(rule->needs_distance());
}

// 30 learners, 15-softsync: mean staleness 15, so a fifteenth of the rate. A staleness below 1 does
// not raise the rate.
TEST(StalenessRules, MayDivideTheRateByTheMean) {
  const Choice<StalenessRule> rule("average");
  EXPECT_DOUBLE_EQ(rule->rate(0.3, 15), 0.02);
  EXPECT_DOUBLE_EQ(rule->rate(0.3, 1), 0.3);
  EXPECT_DOUBLE_EQ(rule->rate(0.3, 0.5), 0.3);
  EXPECT_DOUBLE_EQ(rule->rate(0.3, 0), 0.3);
  EXPECT_EQ(rule->weight(0.3, 15, 4), 1);
  EXPECT_FALSE(rule->needs_distance());
}

TEST(StalenessRules, MayDivideEachGradient) {
  const Choice<StalenessRule> rule("per-gradient");
  EXPECT_EQ(rule->weight(0.3, 0, 0), 1);
  EXPECT_EQ(rule->weight(0.3, 1, 0), 1);
  EXPECT_EQ(rule->weight(0.3, 4, 0), 0.25);
  EXPECT_EQ(rule->rate(0.3, 4), 0.3);
  EXPECT_FALSE(rule->needs_distance());
}

// min(c / distance^2, max) with c = 0.02: 0.1 up to a squared distance of 0.2, then falling.
TEST(StalenessRules, MayLookAtTheDistance) {
  const Choice<StalenessRule> rule = read("{kind: distance, c: 0.02, max: 0.1}");
  EXPECT_TRUE(rule->needs_distance());
  for (const double scheduled : {0.1, 0.05, 0.2}) {
    EXPECT_DOUBLE_EQ(scheduled * rule->weight(scheduled, 3, 0), 0.1);
    EXPECT_DOUBLE_EQ(scheduled * rule->weight(scheduled, 3, 0.2), 0.1);
    EXPECT_DOUBLE_EQ(scheduled * rule->weight(scheduled, 3, 0.4), 0.05);
    EXPECT_DOUBLE_EQ(scheduled * rule->weight(scheduled, 3, 2), 0.01);
  }
  EXPECT_EQ(rule->rate(0.3, 4), 0.3);
  EXPECT_EQ(rule->weight(0, 3, 2), 1);
  // Without `max` the largest rate is the scheduled one.
  const Choice<StalenessRule> capped = read("{kind: distance, c: 0.02}");
  EXPECT_EQ(capped->weight(0.5, 3, 0.01), 1);
  EXPECT_DOUBLE_EQ(capped->weight(0.5, 3, 0.4), 0.1);
}

TEST(StalenessRules, RefuseWhatCannotBe) {
  std::string errors;
  read("distance", &errors);
  EXPECT_EQ(errors, "s:1:1: error: missing key 'c'");
  read("{kind: distance, c: 0}", &errors);
  EXPECT_EQ(errors, "s:1:21: error: 'c' must be > 0");
  read("{kind: distance, c: 1, max: -1}", &errors);
  EXPECT_EQ(errors, "s:1:29: error: 'max' must be > 0");
}

}  // namespace
}  // namespace paceline
