// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/optimizer.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "training/learning/optimizers/adagrad.hpp"
#include "training/learning/optimizers/adam.hpp"
#include "training/learning/optimizers/lamb.hpp"
#include "training/learning/optimizers/lars.hpp"
#include "training/learning/optimizers/momentum.hpp"
#include "training/learning/optimizers/sgd.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;

// Two gradients summed, so their mean is half the sum: 1 - 0.5 * 4 / 2 and 2 - 0.5 * -2 / 2.
TEST(Sgd, StepsAlongTheMeanGradient) {
  const Sgd sgd;
  const std::vector<float> weights{1, 2}, sum{4, -2};
  std::vector<float> updated(2);
  OptimizerState state = sgd.start(2);
  EXPECT_TRUE(state.mean.empty() && state.squares.empty());
  sgd.update(weights, updated, sum, 0.5f, 0.5, state);
  EXPECT_THAT(updated, ElementsAre(FloatEq(0), FloatEq(2.5)));
}

// Mean gradient 1 at each step: the velocity is 1, then 1.5, then 1.75.
TEST(Momentum, KeepsItsVelocity) {
  Momentum rule;
  rule.momentum = 0.5;
  std::vector<float> weights{10};
  OptimizerState state = rule.start(1);
  for (const float expected : {9.0f, 7.5f, 5.75f}) {
    rule.update(weights, weights, std::vector<float>{2}, 0.5f, 1, state);
    EXPECT_THAT(weights, ElementsAre(FloatEq(expected)));
  }
}

// Gradient 3, then 4: steps of 3 / 3 and 4 / 5, at any scale of the gradient.
TEST(Adagrad, DividesByTheRootOfTheSumOfSquares) {
  const Adagrad rule;
  std::vector<float> weights{1, 1};
  OptimizerState state = rule.start(2);
  rule.update(weights, weights, std::vector<float>{6, 0.006f}, 0.5f, 0.1, state);
  EXPECT_THAT(weights, ElementsAre(FloatEq(0.9f), FloatNear(0.9f, 1e-6f)));
  rule.update(weights, weights, std::vector<float>{8, -0.008f}, 0.5f, 0.1, state);
  EXPECT_THAT(weights, ElementsAre(FloatEq(0.82f), FloatNear(0.98f, 1e-6f)));
}

// A constant gradient g has m' = g and s' = g^2 at every step, so each step is the rate itself.
TEST(Adam, StepsByTheRateWhileTheGradientStays) {
  const Adam rule;
  std::vector<float> weights{1, 1};
  OptimizerState state = rule.start(2);
  for (int step = 1; step <= 3; ++step) {
    rule.update(weights, weights, std::vector<float>{5, -0.01f}, 1.0f, 0.1, state);
    const auto moved = 0.1f * static_cast<float>(step);
    EXPECT_THAT(weights, ElementsAre(FloatNear(1 - moved, 1e-5f), FloatNear(1 + moved, 1e-5f)));
  }
}

// Gradients 1 then 3 at beta1 = beta2 = 0.5: m = 1.75, s = 4.75, both over 1 - 0.25.
TEST(Adam, CorrectsTheBiasOfItsStart) {
  Adam rule;
  rule.beta1 = rule.beta2 = 0.5;
  std::vector<float> weights{0};
  OptimizerState state = rule.start(1);
  rule.update(weights, weights, std::vector<float>{1}, 1.0f, 1, state);
  EXPECT_THAT(weights, ElementsAre(FloatNear(-1, 1e-6f)));
  rule.update(weights, weights, std::vector<float>{3}, 1.0f, 1, state);
  const double step = (1.75 / 0.75) / std::sqrt(4.75 / 0.75);
  EXPECT_THAT(weights, ElementsAre(FloatNear(static_cast<float>(-1 - step), 1e-5f)));
  EXPECT_EQ(state.updates, 2);
}

/// A step of rate 1 by two layers, of the first two weights and of the last.
std::vector<float> after_step(const Optimizer& rule, std::vector<float> weights,
                              const std::vector<float>& gradient, float scale) {
  OptimizerState state = rule.start(weights.size());
  const std::vector<std::size_t> layers{2};
  const std::span<const float> from(weights);
  take_step(rule.step(1, 1), {from, weights, gradient, state.mean, state.squares, layers}, scale);
  return weights;
}

// In the first step m' / sqrt(s') is the gradient's sign. So u is (1, -1) + 0.5 * (3, 4), of length
// sqrt(2.5^2 + 1) where |w| is 5; and -1 + 0.5 * 8 = 3 where |w| is 8.
TEST(Lamb, MovesEachLayerByItsLength) {
  Lamb rule;
  rule.decay = 0.5;
  const float ratio = 5 / std::sqrt(2.5f * 2.5f + 1);
  EXPECT_THAT(after_step(rule, {3, 4, 8}, {0.2f, -10, -6}, 0.5f),
              ElementsAre(FloatNear(3 - ratio * 2.5f, 1e-4f), FloatNear(4 - ratio * 1, 1e-4f),
                          FloatNear(0, 1e-4f)));
}

// Mean gradients (3, 4) and 2: 0.1 * 5 / (5 + 0.5 * 5) of (3, 4) + 0.5 * (4, 3), and
// 0.1 * 6 / (2 + 0.5 * 6) of 2 + 0.5 * 6. The second step of the velocity adds to the first.
TEST(Lars, MovesEachLayerByItsLength) {
  Lars rule;
  rule.decay = 0.5;
  rule.trust = 0.1;
  const float ratio = 0.1f * 5 / 7.5f;
  EXPECT_THAT(after_step(rule, {4, 3, 6}, {6, 8, 4}, 0.5f),
              ElementsAre(FloatNear(4 - ratio * 5, 1e-6f), FloatNear(3 - ratio * 5.5f, 1e-6f),
                          FloatNear(6 - 0.12f * 5, 1e-6f)));
  rule.momentum = 0.5;
  rule.decay = 0;
  std::vector<float> weights{4};
  OptimizerState state = rule.start(1);
  rule.update(weights, weights, std::vector<float>{3}, 1, 1, state);
  EXPECT_THAT(weights, ElementsAre(FloatNear(3.6f, 1e-6f)));
  rule.update(weights, weights, std::vector<float>{3}, 1, 1, state);
  EXPECT_THAT(weights, ElementsAre(FloatNear(3.6f - 0.2f - 0.36f, 1e-6f)));
}

TEST(LayerwiseOptimizers, TakeARatioOfOneWithoutWeightsOrGradient) {
  EXPECT_THAT(after_step(Lamb(), {0, 0, 8}, {1, -1, 0}, 1),
              ElementsAre(FloatNear(-1, 1e-5f), FloatNear(1, 1e-5f), FloatEq(8)));
  EXPECT_THAT(after_step(Lars(), {0, 0, 8}, {1, -1, 0}, 1),
              ElementsAre(FloatEq(-1), FloatEq(1), FloatEq(8)));
}

// The mean gradient (3, 4) has norm 5 and is shortened to 1; (0.3, 0.4) is short enough.
TEST(Optimizers, ClipTheMeanGradientsNorm) {
  Sgd sgd;
  sgd.clip = 1;
  std::vector<float> weights{0, 0};
  OptimizerState state = sgd.start(2);
  sgd.update(weights, weights, std::vector<float>{6, 8}, 0.5f, 1, state);
  EXPECT_THAT(weights, ElementsAre(FloatNear(-0.6f, 1e-6f), FloatNear(-0.8f, 1e-6f)));
  weights = {0, 0};
  sgd.update(weights, weights, std::vector<float>{0.6f, 0.8f}, 0.5f, 1, state);
  EXPECT_THAT(weights, ElementsAre(FloatEq(-0.3f), FloatEq(-0.4f)));
}

TEST(Optimizers, HaveTheStateThatTheyDeclare) {
  for (const auto& row : family<Optimizer>().rows) {
    const Choice<Optimizer> rule(row.name);
    ASSERT_TRUE(rule) << row.name;
    const OptimizerState state = rule->start(7);
    EXPECT_EQ(state.mean.size() + state.squares.size(),
              7u * static_cast<std::size_t>(rule->copies()))
        << row.name;
  }
}

// An update is the same in place and out of place, and on shards as on the whole. The length is not
// a multiple of a vector register.
TEST(Optimizers, MayWorkInPlaceAndOnShards) {
  constexpr std::size_t kSize = 37, kCut = 14;
  std::vector<float> weights(kSize), gradient(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    weights[i] = static_cast<float>(i) * 0.25f - 3;
    gradient[i] = static_cast<float>(i % 5) - 2;
  }
  for (const auto& row : family<Optimizer>().rows) {
    SCOPED_TRACE(row.name);
    const Choice<Optimizer> rule(row.name);
    ASSERT_TRUE(rule);
    if (rule->reads_again() > 0) continue;  // a shard has a ratio of its own
    std::vector<float> whole(kSize), in_place = weights, shards = weights;
    OptimizerState whole_state = rule->start(kSize), place_state = rule->start(kSize);
    OptimizerState low = rule->start(kCut), high = rule->start(kSize - kCut);
    std::vector<float> from = weights;
    for (int step = 0; step < 3; ++step) {
      rule->update(from, whole, gradient, 0.25f, 0.1, whole_state);
      from = whole;
      rule->update(in_place, in_place, gradient, 0.25f, 0.1, place_state);
      const std::span<float> all(shards);
      const std::span<const float> g(gradient);
      rule->update(all.first(kCut), all.first(kCut), g.first(kCut), 0.25f, 0.1, low);
      rule->update(all.subspan(kCut), all.subspan(kCut), g.subspan(kCut), 0.25f, 0.1, high);
    }
    EXPECT_EQ(in_place, whole);
    EXPECT_EQ(shards, whole);
    EXPECT_NE(whole, weights);
  }
}

/// Updates one weight after another.
void step_by_hand(const OptimizerStep& step, const UpdateArrays& arrays, float scale) {
  for (std::size_t i = 0; i < arrays.to.size(); ++i) {
    float mean = arrays.mean.empty() ? 0 : arrays.mean[i];
    float squares = arrays.squares.empty() ? 0 : arrays.squares[i];
    arrays.to[i] = std::visit(
        [&](const auto& kind) {
          if constexpr (requires { kind(scale, 0.0F, 0.0F, mean, squares); }) {
            return kind(scale, arrays.from[i], arrays.gradient[i], mean, squares);
          }
          return 0.0F;  // a layer-wise optimizer steps by whole layers
        },
        step);
    if (!arrays.mean.empty()) arrays.mean[i] = mean;
    if (!arrays.squares.empty()) arrays.squares[i] = squares;
  }
}

TEST(Optimizers, AnUpdateIsTheStepOfEachWeight) {
  constexpr std::size_t kSize = 41;
  std::mt19937 random(std::random_device{}());
  std::normal_distribution<float> normal;
  std::vector<float> weights(kSize), gradient(kSize);
  for (const auto& row : family<Optimizer>().rows) {
    SCOPED_TRACE(row.name);
    const Choice<Optimizer> rule(row.name);
    if (rule->reads_again() > 0) continue;
    for (float& w : weights) w = normal(random);
    std::vector<float> by_hand = weights;
    OptimizerState state = rule->start(kSize), hand_state = rule->start(kSize);
    for (int update = 1; update <= 4; ++update) {
      for (float& g : gradient) g = normal(random);
      rule->update(weights, weights, gradient, 0.3F, 0.1, state);
      step_by_hand(rule->step(0.1, update),
                   {by_hand, by_hand, gradient, hand_state.mean, hand_state.squares, {}}, 0.3F);
      EXPECT_EQ(weights, by_hand);
      EXPECT_EQ(state.mean, hand_state.mean);
      EXPECT_EQ(state.squares, hand_state.squares);
    }
  }
}

Choice<Optimizer> read_optimizer(const std::string& yaml, std::string& errors) {
  Diagnostics diagnostics;
  Choice<Optimizer> rule("sgd");
  Value<Choice<Optimizer>>::read(rule, parse_yaml("o", yaml), diagnostics);
  errors = join(diagnostics.lines(), "\n");
  return rule;
}

TEST(Optimizers, AllHaveTheKeysOfAStep) {
  for (const auto& row : family<Optimizer>().rows) {
    std::string errors;
    const Choice<Optimizer> rule =
        read_optimizer("{kind: " + row.name +
                           ", learning_rate: 0.5, clip: 2, staleness: average, "
                           "schedule: {kind: linear-scaling, warmup: 0}}",
                       errors);
    EXPECT_EQ(errors, "");
    EXPECT_EQ(rule.kind(), row.name);
    EXPECT_EQ(rule->learning_rate, 0.5);
    EXPECT_EQ(rule->clip, 2.0);
    EXPECT_EQ(rule->staleness->rate(1, 4), 0.25);
    EXPECT_DOUBLE_EQ(rule->schedule->rate(0.5, {0, {}, 512}), 1.0);
  }
}

TEST(Optimizers, RefuseWhatCannotBe) {
  std::string errors;
  read_optimizer("{kind: sgd, clip: 0}", errors);
  EXPECT_EQ(errors, "o:1:19: error: 'clip' must be > 0");
  read_optimizer("{kind: adam, beta1: 1}", errors);
  EXPECT_EQ(errors, "o:1:21: error: 'beta1' must be < 1");
  read_optimizer("{kind: adagrad, epsilon: 0}", errors);
  EXPECT_EQ(errors, "o:1:26: error: 'epsilon' must be > 0");
}

TEST(Accumulate, AddsElementByElement) {
  std::vector<float> sum{1, 2, 3};
  paceline::accumulate(sum, std::vector<float>{10, 20, 30});
  EXPECT_THAT(sum, ElementsAre(11, 22, 33));
  paceline::accumulate(sum, std::vector<float>{2, 4, 6}, 0.5f);
  EXPECT_THAT(sum, ElementsAre(12, 24, 36));
}

TEST(SquaredNorm, SumsSquares) {
  EXPECT_EQ(squared_norm(std::vector<float>{3, -4}), 25.0);
}

TEST(SquaredDistance, SumsSquaredDifferences) {
  EXPECT_EQ(squared_distance(std::vector<float>{1, 5}, std::vector<float>{4, 1}), 25.0);
}

}  // namespace
}  // namespace paceline
