// SPDX-License-Identifier: MIT
#include "training/arithmetic/optimizer.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/arithmetic/optimizers/momentum.hpp"
#include "training/arithmetic/optimizers/sgd.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

// Two gradients summed, so their mean is half the sum: 1 - 0.5 * 4 / 2 and 2 - 0.5 * -2 / 2.
TEST(Sgd, StepsAlongTheMeanGradient) {
  Sgd sgd;
  sgd.learning_rate = 0.5;
  const std::vector<float> weights{1, 2}, sum{4, -2};
  std::vector<float> updated(2);
  OptimizerState state = sgd.start(2);
  EXPECT_TRUE(state.velocity.empty());
  sgd.apply(weights, updated, sum, 0.5f, state);
  EXPECT_THAT(updated, ElementsAre(FloatEq(0), FloatEq(2.5)));
}

// Mean gradient 1 at each step: the velocity is 1, then 1.5, then 1.75.
TEST(Momentum, KeepsItsVelocity) {
  Momentum rule;
  rule.learning_rate = 1;
  rule.momentum = 0.5;
  std::vector<float> weights{10};
  OptimizerState state = rule.start(1);
  for (const float expected : {9.0f, 7.5f, 5.75f}) {
    rule.apply(weights, weights, std::vector<float>{2}, 0.5f, state);
    EXPECT_THAT(weights, ElementsAre(FloatEq(expected)));
  }
}

// A rule is the same in place and out of place, and on shards as on the whole; a length that is no
// multiple of a vector register.
TEST(Optimizers, MayWorkInPlaceAndOnShards) {
  constexpr std::size_t kSize = 37, kCut = 14;
  std::vector<float> weights(kSize), gradient(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    weights[i] = static_cast<float>(i) * 0.25f - 3;
    gradient[i] = static_cast<float>(i % 5) - 2;
  }
  for (const auto& row : table_of(static_cast<const Optimizer*>(nullptr)).rows) {
    SCOPED_TRACE(row.name);
    const Choice<Optimizer> rule(row.name);
    ASSERT_TRUE(rule);
    std::vector<float> whole(kSize), in_place = weights, shards = weights;
    OptimizerState whole_state = rule->start(kSize), place_state = rule->start(kSize);
    OptimizerState low = rule->start(kCut), high = rule->start(kSize - kCut);
    std::vector<float> from = weights;
    for (int step = 0; step < 3; ++step) {
      rule->apply(from, whole, gradient, 0.25f, whole_state);
      from = whole;
      rule->apply(in_place, in_place, gradient, 0.25f, place_state);
      const std::span<float> all(shards);
      const std::span<const float> g(gradient);
      rule->apply(all.first(kCut), all.first(kCut), g.first(kCut), 0.25f, low);
      rule->apply(all.subspan(kCut), all.subspan(kCut), g.subspan(kCut), 0.25f, high);
    }
    EXPECT_EQ(in_place, whole);
    EXPECT_EQ(shards, whole);
    EXPECT_NE(whole, weights);
  }
}

TEST(Accumulate, AddsElementByElement) {
  std::vector<float> sum{1, 2, 3};
  accumulate(sum, std::vector<float>{10, 20, 30});
  EXPECT_THAT(sum, ElementsAre(11, 22, 33));
}

}  // namespace
}  // namespace paceline
