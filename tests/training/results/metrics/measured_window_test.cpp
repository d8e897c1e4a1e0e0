// SPDX-License-Identifier: MIT
#include "training/results/metrics/measured_window.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

Instant at(double seconds) {
  return Instant{} + Seconds{seconds};
}

TEST(MeasuredWindowTest, ClipsSpans) {
  MeasuredWindow window(false);
  EXPECT_EQ(window.clipped(at(0), at(9)), 0);
  EXPECT_FALSE(window.contains(at(0)));
  window.open(at(2));
  EXPECT_TRUE(window.in_progress());
  EXPECT_DOUBLE_EQ(window.clipped(at(1), at(9)), 7);
  window.close(at(5));
  EXPECT_FALSE(window.in_progress());
  EXPECT_DOUBLE_EQ(window.clipped(at(1), at(9)), 3);
  EXPECT_DOUBLE_EQ(window.clipped(at(3), at(4)), 1);
  EXPECT_EQ(window.clipped(at(6), at(7)), 0);
  EXPECT_TRUE(window.contains(at(2)) && window.contains(at(5)));
  EXPECT_FALSE(window.contains(at(1.5)) || window.contains(at(5.5)));
}

TEST(MeasuredWindowTest, WithoutWarmUpItBeginsWithTheRun) {
  const MeasuredWindow window(true);
  EXPECT_TRUE(window.in_progress());
  EXPECT_DOUBLE_EQ(window.clipped(at(0), at(1)), 1);
}

}  // namespace
}  // namespace paceline
