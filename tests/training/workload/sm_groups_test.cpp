// SPDX-License-Identifier: MIT
#include "training/workload/sm_groups.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(SmGroups, GroupsAreMultiplesAndTheRestIsLeft) {
  // A Hopper GPU of 132 SMs: at least 8, in multiples of 8.
  const SmGroups eight = divide_sms(132, 8, 8, 8);
  EXPECT_EQ(eight.sms, 16);
  EXPECT_EQ(eight.rest, 4);
  EXPECT_EQ(eight.servers, 0) << "4 are too few for a group";
  const SmGroups three = divide_sms(132, 3, 8, 8);
  EXPECT_EQ(three.sms, 40);
  EXPECT_EQ(three.rest, 12);
  EXPECT_EQ(three.servers, 12);
}

TEST(SmGroups, SoManyGroupsMustFit) {
  EXPECT_EQ(divide_sms(132, 16, 8, 8).sms, 8);
  EXPECT_EQ(divide_sms(132, 17, 8, 8).sms, 0);
  EXPECT_EQ(divide_sms(80, 40, 2, 2).sms, 2);
  EXPECT_EQ(divide_sms(80, 41, 2, 2).sms, 0);
}

TEST(SmGroups, TheSmallestNeedNotBeAMultiple) {
  // An Ampere GPU of 108 SMs: at least 4, in multiples of 2.
  EXPECT_EQ(divide_sms(108, 20, 4, 2).sms, 4);
  EXPECT_EQ(divide_sms(108, 27, 4, 2).sms, 4);
  EXPECT_EQ(divide_sms(108, 16, 4, 2).sms, 6);
}

}  // namespace
}  // namespace paceline
