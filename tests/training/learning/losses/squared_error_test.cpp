// SPDX-License-Identifier: MIT
#include "training/learning/losses/squared_error.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

// Errors 2 and -1: (4 + 1) / 2 over two items; the gradient is the error divided by the items.
TEST(SquaredError, OfTwoItemsByHand) {
  SquaredError loss(2);
  loss.load(std::vector<float>{1, 3});
  loss.forward(std::vector<float>{3, 2});
  EXPECT_DOUBLE_EQ(loss.loss(), 1.25);
  EXPECT_TRUE(std::isnan(loss.accuracy()));
  std::vector<float> gradient(2);
  loss.backward(gradient);
  EXPECT_THAT(gradient, testing::ElementsAre(1.0f, -0.5f));
}

TEST(SquaredError, RefusesTargetsThatAreNoNumbers) {
  SquaredError loss(2);
  EXPECT_THROW(loss.load(std::vector<float>{1}), std::invalid_argument);
  EXPECT_THROW(loss.load(std::vector<float>{1, std::numeric_limits<float>::infinity()}),
               std::invalid_argument);
  EXPECT_THROW(loss.load(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1}),
               std::invalid_argument);
}

}  // namespace
}  // namespace paceline
