// SPDX-License-Identifier: MIT
#include "exec/processes/clock_offset.hpp"

#include <array>

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(ClockOffsetTest, TheFastestAnswerCounts) {
  // the other clock is 1000 ns ahead; the first answer was delayed on the way back
  const std::array<Echo, 3> echoes{Echo{0, 1010, 500}, Echo{600, 1610, 620}, Echo{700, 1780, 800}};
  const ClockOffset offset = clock_offset(echoes);
  EXPECT_EQ(offset.offset_ns, 1000);
  EXPECT_EQ(offset.error_ns, 10);
}

TEST(ClockOffsetTest, TheErrorIsNeverMoreThanItSays) {
  for (std::int64_t there = 0; there <= 40; there += 5) {  // of a round trip of 40 ns
    const std::array<Echo, 1> echo{Echo{100, 100 + there - 5000, 140}};
    const ClockOffset offset = clock_offset(echo);
    EXPECT_LE(std::abs(offset.offset_ns + 5000), offset.error_ns) << there;
  }
}

}  // namespace
}  // namespace paceline
