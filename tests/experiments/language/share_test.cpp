// SPDX-License-Identifier: MIT
#include "experiments/language/share.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

CountOrShare read(const std::string& text) {
  Diagnostics diagnostics;
  CountOrShare value;
  EXPECT_TRUE(Value<CountOrShare>::read(value, Tree::scalar(text), diagnostics)) << text;
  EXPECT_EQ(to_flow(Value<CountOrShare>::write(value)), text);
  return value;
}

TEST(Percent, IsWrittenAsItWasRead) {
  for (const char* text : {"7 %", "50 %", "0.1 %", "33.3 %", "100 %", "150 %"}) {
    Diagnostics diagnostics;
    Percent value;
    ASSERT_TRUE(Value<Percent>::read(value, Tree::scalar(text), diagnostics));
    EXPECT_EQ(to_flow(Value<Percent>::write(value)), text);
  }
}

TEST(Percent, NeedsItsSign) {
  Diagnostics diagnostics;
  Percent value;
  EXPECT_FALSE(Value<Percent>::read(value, Tree::scalar("0.5"), diagnostics));
  EXPECT_EQ(diagnostics.lines().front(),
            "input: error: '0.5' is not a share (write a number and %)");
}

TEST(Percent, NeedsNoBlank) {
  Diagnostics diagnostics;
  Percent value;
  ASSERT_TRUE(Value<Percent>::read(value, Tree::scalar("50%"), diagnostics));
  EXPECT_EQ(value.fraction, 0.5);
}

TEST(CountOrShare, CountsAreThemselves) {
  EXPECT_EQ(read("3").of(8), 3);
  EXPECT_EQ(read("3").of(2), 3);  // the policy checks whether the count is possible
}

TEST(CountOrShare, SharesRoundUp) {
  EXPECT_EQ(read("50 %").of(8), 4);
  EXPECT_EQ(read("50 %").of(7), 4);
  EXPECT_EQ(read("50 %").of(1), 1);
  EXPECT_EQ(read("100 %").of(16), 16);
  EXPECT_EQ(read("10 %").of(30), 3);  // 0.1 x 30 is a little above 3 in binary
}

TEST(CountOrShare, IsAtLeastOne) {
  EXPECT_EQ((CountOrShare{0, 1e-12}.of(4)), 1);
}

TEST(CountOrShare, DistinguishesSetFromUnset) {
  EXPECT_FALSE(CountOrShare{}.set());
  EXPECT_EQ(Value<CountOrShare>::write({}).kind, Tree::Kind::null);
  EXPECT_TRUE(read("1").set());
}

}  // namespace
}  // namespace paceline
