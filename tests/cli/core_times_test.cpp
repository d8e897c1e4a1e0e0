// SPDX-License-Identifier: MIT
#include "cli/core_times.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace paceline {
namespace {

// Two cores of three count; user includes the time of guests, the ninth number and on.
TEST(CoreTimes, AreOfTheCoresOfThisProcess) {
  std::istringstream stat(
      "cpu  900 0 0 0 0 0 0 0 0 0\n"
      "cpu0 100 10 20 5000 300 1 2 4 50 0\n"
      "cpu1 200 0 0 0 0 0 0 0 0 0\n"
      "cpu2 63 0 0 0 0 0 0 0 0 0\n"
      "intr 5 6 7\n");
  EXPECT_DOUBLE_EQ(busy_seconds(stat, {0, 2}, 100), 2.0);
}

TEST(CoreTimes, OthersHaveWhatThisProcessHasNot) {
  EXPECT_DOUBLE_EQ(*cores_of_others({10, 1, 100}, {16, 3, 102}), 2);
  EXPECT_DOUBLE_EQ(*cores_of_others({10, 1, 100}, {12, 4, 102}), 0) << "a tick is 10 ms";
  EXPECT_FALSE(cores_of_others({10, 1, 100}, {10.1, 1, 100.1})) << "too short for ticks";
}

// Old kernels have fewer numbers in a line.
TEST(CoreTimes, NumbersThatAreMissingCountAsNone) {
  std::istringstream stat("cpu0 10 5\n\ncpu1\n");
  EXPECT_DOUBLE_EQ(busy_seconds(stat, {0, 1}, 100), 0.15);
}

TEST(CoreTimes, GrowWithTheWorkOfThisProcess) {
  const std::optional<CoreTimes> before = core_times_now();
  if (!before) GTEST_SKIP() << "no /proc/stat";
  const std::optional<CoreTimes> after = core_times_now();
  ASSERT_TRUE(after);
  EXPECT_GE(after->wall, before->wall);
  EXPECT_GE(after->own, before->own);
  EXPECT_GE(after->all, before->all);
}

}  // namespace
}  // namespace paceline
