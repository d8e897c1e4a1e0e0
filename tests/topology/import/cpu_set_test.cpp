// SPDX-License-Identifier: MIT
#include "topology/import/cpu_set.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(CpuSet, two_ranges_of_one_length_are_the_threads_of_cores) {
  EXPECT_EQ(cores_in_list("0-19,40-59"), 20);
  EXPECT_EQ(cores_in_list("0-19"), 20);
  EXPECT_EQ(cores_in_list("0-0,8-8,16-16"), 3);
  EXPECT_EQ(cores_in_list("0-3,8-9"), 6);
  EXPECT_EQ(cores_in_list("64-127,192-254"), 64);  // the host keeps a processor for itself
}

TEST(CpuSet, what_is_no_list_says_nothing) {
  for (const char* list : {"", "1-1", "5", "3-1", "0-99999999999", "a", "0-3,2-5", "1,,2", "-4"}) {
    EXPECT_EQ(cores_in_list(list), 0) << list;
  }
}

TEST(CpuSet, lists_have_ranges) {
  using Ranges = std::vector<std::pair<int, int>>;
  EXPECT_EQ(processor_ranges("0-3,8"), (Ranges{{0, 3}, {8, 8}}));
  EXPECT_EQ(processor_ranges("5"), (Ranges{{5, 5}}));
  EXPECT_TRUE(processor_ranges("0-3,2-5").empty());
  EXPECT_TRUE(processor_ranges("").empty());
}

TEST(CpuSet, masks_have_the_highest_processors_first) {
  EXPECT_EQ(cores_in_mask("00000000,000fffff"), 20);
  EXPECT_EQ(cores_in_mask("000000ff,ffff0000,00ffffff"), 24);  // 0-23 and 48-71
  EXPECT_EQ(cores_in_mask("fff0000,00000000"), 12);            // the first digit is missing
  EXPECT_EQ(cores_in_mask("f,0000000f"), 4);                   // 0-3 and 32-35
  EXPECT_EQ(cores_in_mask("xyz"), 0);
  EXPECT_EQ(cores_in_mask(""), 0);
}

}  // namespace
}  // namespace paceline
