// SPDX-License-Identifier: MIT
#include "training/learning/losses/cross_entropy.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

// Two classes, logits that differ by ln 3: probabilities 1/4 and 3/4. The first item is labelled
// with the likely class, the second with the unlikely one.
TEST(CrossEntropy, OfTwoClassesByHand) {
  const float ln3 = std::log(3.0f);
  const std::vector<float> logits{0, ln3, 5, 5 + ln3};
  CrossEntropy loss(2, 2);
  loss.load(std::vector<float>{1, 0});
  loss.forward(logits);
  EXPECT_NEAR(loss.loss(), (std::log(4.0 / 3) + std::log(4.0)) / 2, 1e-6);
  EXPECT_DOUBLE_EQ(loss.accuracy(), 0.5);
  // Probability minus target, divided by two items.
  std::vector<float> gradient(4);
  loss.backward(gradient);
  EXPECT_THAT(gradient, testing::Pointwise(testing::FloatNear(1e-6f),
                                           std::vector<float>{0.125f, -0.125f, -0.375f, 0.375f}));
}

TEST(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheClasses) {
  CrossEntropy loss(1, 10);
  loss.load(std::vector<float>{3});
  loss.forward(std::vector<float>(10, 7.0f));
  EXPECT_NEAR(loss.loss(), std::log(10.0), 1e-12);
  EXPECT_EQ(loss.accuracy(), 0.0);  // of equal logits the first counts
}

TEST(CrossEntropy, OfHugeLogitsIsFinite) {
  CrossEntropy loss(1, 2);
  loss.load(std::vector<float>{0});
  loss.forward(std::vector<float>{-1000, 1000});
  EXPECT_DOUBLE_EQ(loss.loss(), 2000.0);
}

TEST(CrossEntropy, OfWhatIsNoNumberIsNoNumber) {
  CrossEntropy loss(1, 2);
  loss.load(std::vector<float>{0});
  loss.forward(std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(loss.loss()));
}

TEST(CrossEntropy, RefusesLabelsThatAreNoClass) {
  CrossEntropy loss(1, 2);
  EXPECT_THROW(loss.load(std::vector<float>{2}), std::invalid_argument);
  EXPECT_THROW(loss.load(std::vector<float>{-1}), std::invalid_argument);
  EXPECT_THROW(loss.load(std::vector<float>{0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace paceline
