// SPDX-License-Identifier: MIT
#include "training/runtime/one_of.hpp"

#include <string>

#include <gtest/gtest.h>

namespace paceline {
namespace {

struct Small {
  std::int64_t number = 7;
};
struct Large {
  std::int32_t first = 1;
  double numbers[4] = {1, 2, 3, 4};
};
using Either = OneOf<Small, Large>;

TEST(OneOfTest, HoldsTheFirstKindByDefault) {
  const Either either;
  EXPECT_EQ(either.index(), 0U);
  ASSERT_NE(either.as<Small>(), nullptr);
  EXPECT_EQ(either.as<Small>()->number, 7);
  EXPECT_EQ(either.as<Large>(), nullptr);
}

TEST(OneOfTest, HoldsTheKindThatItWasMadeOf) {
  Large large;
  large.numbers[3] = 9;
  const Either either = large;
  EXPECT_EQ(either.index(), Either::number_of<Large>());
  EXPECT_EQ(either.index(), 1U);
  EXPECT_EQ(either.as<Small>(), nullptr);
  ASSERT_NE(either.as<Large>(), nullptr);
  EXPECT_EQ(either.as<Large>()->first, 1);
  EXPECT_EQ(either.as<Large>()->numbers[3], 9);
}

TEST(OneOfTest, TakesSmallAndLargeValues) {
  Either either = Large{};
  either.take(Small{11});
  ASSERT_NE(either.as<Small>(), nullptr);
  EXPECT_EQ(either.as<Small>()->number, 11);
  Large large;
  large.first = 5;
  large.numbers[0] = 6;
  either.take(large);
  ASSERT_NE(either.as<Large>(), nullptr);
  EXPECT_EQ(either.as<Large>()->first, 5);
  EXPECT_EQ(either.as<Large>()->numbers[0], 6);
  EXPECT_EQ(either.as<Large>()->numbers[3], 4);
  const Either copy = either;
  EXPECT_EQ(copy.as<Large>()->numbers[0], 6);
}

TEST(OneOfTest, VisitsTheKindThatItHolds) {
  struct Name {
    std::string operator()(const Small&) const { return "small"; }
    std::string operator()(const Large&) const { return "large"; }
  };
  EXPECT_EQ(Either(Small{}).visit(Name{}), "small");
  EXPECT_EQ(Either(Large{}).visit(Name{}), "large");
}

}  // namespace
}  // namespace paceline
