// SPDX-License-Identifier: MIT
#include "training/results/metrics/wasted_time.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000'000;

TEST(WastedTimeTest, OfAMiniBatchThatIsCancelledCountsAllThatItTook) {
  WastedTime wasted(2);
  wasted.spent({0, 3}, 2 * kSecond);
  wasted.spent({1, 3}, 5 * kSecond);
  wasted.cancelled(0, 3);
  EXPECT_DOUBLE_EQ(wasted.seconds(), 2);
  wasted.spent({0, 3}, kSecond);  // its layer ends
  EXPECT_DOUBLE_EQ(wasted.seconds(), 3);
  wasted.spent({0, 4}, kSecond);
  wasted.accepted(1, 3);
  wasted.cancelled(1, 4);  // before it began
  EXPECT_DOUBLE_EQ(wasted.seconds(), 3);
}

// Mini-batch 2 is cancelled in a long layer. Until that ends, the worker's mini-batches 3 and 4 are
// cancelled before they begin; the layer is still time of a cancelled mini-batch.
TEST(WastedTimeTest, ALayerMayOutlastTheNextMiniBatches) {
  WastedTime wasted(1);
  wasted.spent({0, 2}, kSecond);  // its delay
  for (const std::int64_t step : {2, 3, 4}) wasted.cancelled(0, step);
  wasted.spent({0, 2}, 20 * kSecond);
  wasted.spent({0, 5}, kSecond);
  EXPECT_DOUBLE_EQ(wasted.seconds(), 21);
  wasted.cancelled(0, 5);
  EXPECT_DOUBLE_EQ(wasted.seconds(), 22);
}

TEST(WastedTimeTest, WhatIsAcceptedIsNotWasted) {
  WastedTime wasted(1);
  for (const std::int64_t step : {0, 1, 2, 3}) wasted.spent({0, step}, kSecond);
  wasted.accepted(0, 1);
  for (const std::int64_t step : {2, 3}) wasted.cancelled(0, step);  // they were accrued
  EXPECT_DOUBLE_EQ(wasted.seconds(), 2);
  wasted.spent({0, 3}, -kSecond);  // it ended after the window
  EXPECT_DOUBLE_EQ(wasted.seconds(), 1);
}

}  // namespace
}  // namespace paceline
