// SPDX-License-Identifier: MIT
#include "training/runtime/instant.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(InstantTest, LengthsAreRoundedToPicoseconds) {
  EXPECT_EQ(to_ps(Seconds{1.5e-12}), 2);  // half to even
  EXPECT_EQ(to_ps(Seconds{2.5e-12}), 2);
  EXPECT_EQ(to_ps(Seconds{86'400}), 86'400'000'000'000'000);
  EXPECT_EQ((Instant{5} + Seconds{1e-12}).ps, 6);
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
