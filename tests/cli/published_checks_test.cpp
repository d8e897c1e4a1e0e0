// SPDX-License-Identifier: MIT
#include "cli/published_checks.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

PublishedCheck check(double published, double error, bool in_sample) {
  PublishedCheck one;
  one.published = published;
  one.predicted = published * (1 + error);
  one.error = error;
  one.in_sample = in_sample;
  return one;
}

TEST(PublishedChecks, RowsThatConstantsWereFittedOnAreCountedApart) {
  std::vector<PublishedCheck> checks{check(100, 0.01, true), check(200, -0.10, false),
                                     check(300, 0.20, false), check(400, -0.30, false)};
  checks[3].perfect = 0.5;
  PublishedCheck calibration = check(500, 0, false);
  calibration.calibration = true;
  checks.push_back(calibration);
  const CheckStatistics outside = statistics_of(checks, Sample::outside);
  EXPECT_EQ(outside.rows, 3U) << "a row that sets the cost does not count";
  EXPECT_DOUBLE_EQ(outside.median, 0.20);
  EXPECT_DOUBLE_EQ(outside.bias, -0.10);
  EXPECT_EQ(outside.perfect_rows, 1U);
  EXPECT_DOUBLE_EQ(outside.perfect_median, 0.5);
  const CheckStatistics inside = statistics_of(checks, Sample::inside);
  EXPECT_EQ(inside.rows, 1U);
  EXPECT_DOUBLE_EQ(inside.median, 0.01);
  EXPECT_FALSE(inside.rank) << "of one row";
  EXPECT_EQ(statistics_of(checks, Sample::all).rows, 4U);
}

TEST(PublishedChecks, RankCorrelationByHand) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {30, 20, 10}), -1);
  // ranks 1 2 3 4 and 1 3 2 4: 1 - 6 x 2 / (4 x 15)
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {5, 7, 6, 8}), 0.8);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1}, {2, 3}), 0) << "equal values have no order";
}

}  // namespace
}  // namespace paceline
