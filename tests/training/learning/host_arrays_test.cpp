// SPDX-License-Identifier: MIT
#include "training/learning/host_arrays.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "training/learning/optimizers/sgd.hpp"
#include "training/learning/rates/staleness/distance.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(HostArraysTest, AreZerosThatAreWrittenAndReadBack) {
  HostArrays store;
  const SharedArray array = store.allocate(0, 3);
  EXPECT_THAT(array->floats(), ElementsAre(0, 0, 0));
  store.write(std::vector<float>{1, 2, 3}, *array);
  EXPECT_THAT(store.read(array->floats().subspan(1)), ElementsAre(2, 3));
  EXPECT_EQ(store.allocate(0, 0)->floats().size(), 0U);
}

TEST(HostArrayWorkTest, AFreshSumForgetsWhatWasThere) {
  HostArrayWork work;
  std::vector<float> sum{kNan, kNan};
  const std::vector<float> gradient{3, -0.0F};
  Factor half;
  half.scale = 0.5F;
  work.accumulate(sum, gradient, half, true);
  EXPECT_THAT(sum, ElementsAre(1.5, 0));
  EXPECT_FALSE(std::signbit(sum[1]));  // 0 + -0
  work.accumulate(sum, gradient, {}, false);
  EXPECT_THAT(sum, ElementsAre(4.5, 0));
}

TEST(HostArrayWorkTest, CopiesAndAssigns) {
  HostArrayWork work;
  std::vector<float> to{kNan, kNan};
  work.copy(to, std::vector<float>{1, 2});
  EXPECT_THAT(to, ElementsAre(1, 2));
  work.assign(to, std::vector<float>{4, 6}, 0.5F);
  EXPECT_THAT(to, ElementsAre(2, 3));
  work.copy({}, {});
}

// |now - then|^2 = 25, so that the gradient's rate is 5 / 25 and its weight 0.2 / 0.5; what is left
// of it has norm 0.4 x 5 = 2 and is cut to 1.
TEST(HostArrayWorkTest, AGradientIsWeighedByDistanceAndThenClipped) {
  DistanceStaleness rule;
  rule.c = 5;
  const std::vector<float> now{3, 4}, then{0, 0}, gradient{0, 5};
  Factor factor;
  factor.weight = {&rule, 0.5, 1};
  factor.now = now;
  factor.then = then;
  ASSERT_TRUE(factor.needs_distance());
  Sgd sgd;
  std::vector<float> weights{0, 0};
  HostArrayWork work;
  work.update(sgd, 1, 1, {weights, weights, gradient, {}, {}, {}}, factor);
  EXPECT_THAT(weights, ElementsAre(0, FloatEq(-2)));
  sgd.clip = 1;
  weights = {0, 0};
  work.update(sgd, 1, 1, {weights, weights, gradient, {}, {}, {}}, factor);
  EXPECT_THAT(weights, ElementsAre(0, FloatEq(-1)));
}

}  // namespace
}  // namespace paceline
