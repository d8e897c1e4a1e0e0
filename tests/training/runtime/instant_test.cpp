// SPDX-License-Identifier: MIT
#include "training/runtime/instant.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(InstantTest, LengthsAreRoundedToPicoseconds) {
  EXPECT_EQ(to_ps(Seconds{1.5e-12}), 2);  // half to even
  EXPECT_EQ(to_ps(Seconds{2.5e-12}), 2);
  EXPECT_EQ(to_ps(Seconds{86'400}), 86'400'000'000'000'000);
  EXPECT_EQ((Instant{5} + Seconds{1e-12}).ps, 6);
}

TEST(InstantTest, RoundsAsTheProcessorDoes) {
  const std::vector<double> whole{0, 1, 2, 1e6, 0x1p50, 0x1p51 - 1, 0x1p51, 0x1p52, 0x1p53, 0x1p62};
  for (const double number : whole) {
    for (const double part : {0.0, 0.25, 0.5, 0.75}) {
      for (const double sign : {1.0, -1.0}) {
        const double ps = sign * (number + part);
        EXPECT_EQ(round_ps(ps), static_cast<std::int64_t>(std::nearbyint(ps))) << ps;
      }
    }
  }
}

TEST(InstantTest, LengthsBeyondTheClockAreItsEnd) {
  EXPECT_EQ(to_ps(Seconds{9.3e6}), kEndOfClock);
  EXPECT_EQ(to_ps(Seconds{1e300}), kEndOfClock);
  EXPECT_EQ(to_ps(Seconds{std::numeric_limits<double>::infinity()}), kEndOfClock);
  EXPECT_EQ(round_ps(0x1p63), kEndOfClock);
  EXPECT_LT(round_ps(0x1.fffffffffffffp62), kEndOfClock);
}

TEST(InstantTest, SumsBeyondTheClockAreItsEnd) {
  EXPECT_EQ(later_ps(kEndOfClock - 1, 1), kEndOfClock);
  EXPECT_EQ(later_ps(kEndOfClock - 1, 2), kEndOfClock);
  EXPECT_EQ(later_ps(kEndOfClock, kEndOfClock), kEndOfClock);
  EXPECT_EQ((Instant{kEndOfClock - 10} + Seconds{1}).ps, kEndOfClock);
}

}  // namespace
}  // namespace paceline
