// SPDX-License-Identifier: MIT
#include "training/learning/datasets/teacher_student.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_items.hpp"
#include "training/learning/evaluator.hpp"
#include "training/learning/optimizers/momentum.hpp"

namespace paceline {
namespace {

constexpr Shape kShape{20, 1, 1};

std::vector<int> counts_of(const DrawnItems& drawn, int classes) {
  std::vector<int> counts(static_cast<std::size_t>(classes));
  for (const float label : drawn.targets) ++counts.at(static_cast<std::size_t>(label));
  return counts;
}

// A teacher favours no class by more than a random network does: each class has a fifth to five
// times its share.
TEST(TeacherStudent, UsesEveryClass) {
  const TeacherStudent dataset;
  for (const int count : counts_of(draw(dataset, kShape, 5, 5000, 1, 0, 0), 5)) {
    EXPECT_GT(count, 200);
    EXPECT_LT(count, 4000);
  }
}

// Two draws that differ in the noise alone have the same inputs. Of a share q of random labels one
// in five is right by chance, so 4 q / 5 of the labels differ.
TEST(TeacherStudent, ReplacesTheRequestedShareOfLabels) {
  TeacherStudent clean, noisy;
  noisy.noise = Percent{0.25};
  constexpr std::size_t kItems = 10'000;
  const DrawnItems right = draw(clean, kShape, 5, kItems, 1, 0, 0);
  const DrawnItems wrong = draw(noisy, kShape, 5, kItems, 1, 0, 0);
  EXPECT_EQ(wrong.inputs, right.inputs);
  int differ = 0;
  for (std::size_t i = 0; i < kItems; ++i) differ += right.targets[i] == wrong.targets[i] ? 0 : 1;
  EXPECT_NEAR(differ, 2000, 160);  // four standard deviations
}

// A perceptron predicts far better than the most frequent class would.
TEST(TeacherStudent, IsLearnedByAPerceptron) {
  const TeacherStudent dataset;
  const Network network =
      load_network(parse_yaml("mlp", "{kind: mlp, inputs: 20, hidden: [64], classes: 5}"));
  constexpr int kItems = 32;
  const Momentum rule;
  const auto arithmetic = make_arithmetic(network, kItems);
  std::vector<float> weights = initial_weights(network, 1), gradient(weights.size());
  OptimizerState state = rule.start(weights.size());
  Evaluator evaluator(network, dataset, 1, 2000);
  EXPECT_LT(evaluator.evaluate(weights).accuracy, 0.5);
  for (int step = 0; step < 1500; ++step) {
    const DrawnItems batch = draw(dataset, kShape, 5, kItems, 1, 0, step);
    arithmetic->load(batch.inputs, batch.targets);
    for (int layer = 0; layer < 4; ++layer) arithmetic->forward(layer, weights);
    for (int layer = 3; layer >= 0; --layer) arithmetic->backward(layer, weights, gradient);
    rule.update(weights, weights, gradient, 1.0f, 0.02, state);
  }
  const Score score = evaluator.evaluate(weights);
  EXPECT_GT(score.accuracy, 0.8);
  EXPECT_LT(score.loss, 0.5);
}

}  // namespace
}  // namespace paceline
