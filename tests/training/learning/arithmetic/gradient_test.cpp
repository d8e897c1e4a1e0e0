// SPDX-License-Identifier: MIT
// Every layer's loss and gradient compared with the definitions in double and central differences.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/reference_loss.hpp"
#include "tests/training/learning/arithmetic/small_graphs.hpp"
#include "training/learning/arithmetic/onednn.hpp"

namespace paceline {
namespace {

/// Expects a gradient within single precision of the reference at `count` weights spread over all.
void expect_gradient(Arithmetic& arithmetic, const Network& network, int items, std::size_t count) {
  constexpr DropoutDraw kDraw{{3, 5}, 7, 11, 0};
  arithmetic.draw_dropout(kDraw);
  const RandomBatch batch(network, items);
  const std::vector<float> weights = uneven_weights(network);
  const std::vector<float> gradient = pass(arithmetic, network, batch, weights);
  ReferenceLoss reference(network, batch.inputs, batch.targets);
  reference.draw_dropout(kDraw);
  const std::vector<double> exact(weights.begin(), weights.end());
  EXPECT_NEAR(arithmetic.loss(), reference.loss(exact), 1e-5 * (1 + arithmetic.loss()));
  float largest = 0;
  for (const float g : gradient) largest = std::max(largest, std::abs(g));
  const std::size_t stride = std::max<std::size_t>(1, weights.size() / count);
  for (std::size_t i = 0; i < weights.size(); i += stride) {
    EXPECT_NEAR(gradient[i], reference.derivative(exact, i), 1e-4 * static_cast<double>(largest))
        << "weight " << i << " of " << weights.size();
  }
}

class Gradient : public testing::TestWithParam<SmallGraph> {};

TEST_P(Gradient, IsThatOfTheDefinitions) {
  const Network network = GetParam().network();
  constexpr int kItems = 5;
  expect_gradient(*make_arithmetic(network, kItems), network, kItems, 60);
}

// The graph arithmetic computes dense networks too, so the same requirements apply to it.
TEST_P(Gradient, IsThatOfTheDefinitionsByTheGraph) {
  const Network network = GetParam().network();
  constexpr int kItems = 3;
  expect_gradient(*make_convolutional(network, kItems), network, kItems, 20);
}

// The gradient of a pass does not depend on earlier passes, even abandoned ones, and a layer writes
// nothing outside its own slice.
TEST_P(Gradient, IsTheSameAfterOtherPasses) {
  const Network network = GetParam().network();
  constexpr int kItems = 4;
  const auto arithmetic = make_arithmetic(network, kItems);
  const std::vector<float> weights = uneven_weights(network);
  const RandomBatch batch(network, kItems), other(network, kItems, 1, 7);
  const std::vector<float> first = pass(*arithmetic, network, batch, weights);
  ahead(*arithmetic, network, other, weights);
  std::vector<float> aside(weights.size(), 42.0f);
  const int layers = static_cast<int>(network.layers.size());
  for (int i = layers - 1; i >= layers / 2; --i) arithmetic->backward(i, weights, aside);
  const auto untouched = network.parameter_offsets()[static_cast<std::size_t>(layers / 2)];
  EXPECT_TRUE(std::all_of(aside.begin(), aside.begin() + untouched,
                          [](float value) { return value == 42.0f; }));
  EXPECT_EQ(pass(*arithmetic, network, batch, weights), first);
}

INSTANTIATE_TEST_SUITE_P(Transformers, Gradient, testing::ValuesIn(kSmallTransformers),
                         [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(Layers, Gradient, testing::ValuesIn(kSmallGraphs),
                         [](const auto& test) { return std::string(test.param.name); });

// A preset, too large for the reference: along the gradient the loss rises at a rate equal to the
// gradient's length, and along a single weight at that weight's gradient.
TEST(GradientOfAPreset, IsTheSlopeOfTheLoss) {
  const Network network = load_network(Tree::scalar("cifar10_resnet20"));
  constexpr int kItems = 4;
  const auto arithmetic = make_arithmetic(network, kItems);
  const RandomBatch batch(network, kItems);
  const std::vector<float> weights = initial_weights(network, 5);
  const std::vector<float> gradient = pass(*arithmetic, network, batch, weights);
  double squares = 0;
  for (const float g : gradient) squares += static_cast<double>(g) * static_cast<double>(g);
  const double length = std::sqrt(squares);
  ASSERT_GT(length, 0.0);
  const auto slope = [&](const std::vector<float>& direction, float step) {
    const auto loss_at = [&](float distance) {
      std::vector<float> moved = weights;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += distance * direction[i];
      ahead(*arithmetic, network, batch, moved);
      return arithmetic->loss();
    };
    return (loss_at(step) - loss_at(-step)) / (2 * static_cast<double>(step));
  };
  std::vector<float> along = gradient;
  for (float& g : along) g = static_cast<float>(static_cast<double>(g) / length);
  EXPECT_NEAR(slope(along, 2e-3f), length, 0.02 * length);

  // The weight with the largest gradient in the first, a middle and the last layer that has
  // weights.
  const std::vector<std::int64_t> offsets = network.parameter_offsets();
  for (const std::size_t layer : {std::size_t{0}, network.layers.size() / 2}) {
    std::size_t parametric = layer;
    while (network.layers[parametric].parameters == 0) ++parametric;
    const auto begin = gradient.begin() + offsets[parametric];
    const auto steepest =
        std::max_element(begin, begin + network.layers[parametric].parameters,
                         [](float a, float b) { return std::abs(a) < std::abs(b); });
    std::vector<float> axis(weights.size(), 0.0f);
    axis[static_cast<std::size_t>(steepest - gradient.begin())] = 1.0f;
    EXPECT_NEAR(slope(axis, 2e-3f), *steepest, 0.05 * std::abs(static_cast<double>(*steepest)))
        << network.layers[parametric].name;
  }
}

}  // namespace
}  // namespace paceline
