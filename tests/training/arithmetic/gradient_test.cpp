// SPDX-License-Identifier: MIT
// Every layer's loss and gradient against the definitions in double and central differences.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/arithmetic/drawn_batch.hpp"
#include "tests/training/arithmetic/graph_sketch.hpp"
#include "tests/training/arithmetic/reference_loss.hpp"
#include "training/arithmetic/convolutional.hpp"

namespace paceline {
namespace {

using Kind = LayerKind;
using Window = GraphSketch::Window;
constexpr int kInput = GraphSketch::kInput;

struct Case {
  const char* name;
  Network (*network)();
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// Weights off the symmetric start: biases, scales and shifts not 0 or 1.
std::vector<float> uneven_weights(const Network& network) {
  std::vector<float> weights = initial_weights(network, 3);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += 0.1f * std::sin(static_cast<float>(i) + 0.5f);
  }
  return weights;
}

/// A gradient within single precision of the reference, at `count` weights spread over all.
void expect_gradient(Arithmetic& arithmetic, const Network& network, int items, std::size_t count) {
  constexpr DropoutDraw kDraw{{3, 5}, 7, 11, 0};
  arithmetic.draw_dropout(kDraw);
  const DrawnBatch batch(network, items);
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

const Case kCases[] = {
    {"softmax_regression",
     [] {
       return GraphSketch({5, 1, 1}).classify(kInput, 3);
     }},
    {"linear_regression",
     [] {
       return GraphSketch({5, 1, 1}).predict(kInput);
     }},
    {"regression_by_a_perceptron",
     [] {
       GraphSketch g({6, 1, 1});
       return g.predict(g.simple(Kind::activation, g.fully_connected(kInput, 7)));
     }},
    {"perceptron",
     [] {
       GraphSketch g({6, 1, 1});
       int x = g.simple(Kind::activation, g.fully_connected(kInput, 7));
       x = g.simple(Kind::dropout, x);
       return g.classify(g.simple(Kind::activation, g.fully_connected(x, 5, false)), 4);
     }},
    {"convolution",
     [] {
       GraphSketch g({3, 6, 5});
       return g.classify(g.convolution(kInput, 4, {}), 3);
     }},
    {"convolutions_with_stride_and_uneven_pads",
     [] {
       GraphSketch g({3, 8, 8});
       const int a = g.convolution(kInput, 5, {3, 3, 2, 0, 1, 0, 1}, false);
       return g.classify(g.convolution(a, 16, {2, 3, 1, 1, 0, 2, 1}), 3);
     }},
    {"pointwise_convolution",
     [] {
       GraphSketch g({4, 5, 5});
       return g.classify(g.convolution(g.convolution(kInput, 6, {1, 1, 2}), 3, {1, 1, 1}), 3);
     }},
    {"batch_norm",
     [] {
       GraphSketch g({3, 4, 4});
       const int a = g.batch_norm(g.convolution(kInput, 5, {}, false));
       return g.classify(g.batch_norm(g.simple(Kind::activation, a), false), 3);
     }},
    {"batch_norm_of_the_input",
     [] {
       GraphSketch g({3, 4, 4});
       return g.classify(g.batch_norm(kInput), 3);
     }},
    {"batch_norm_of_a_vector",
     [] {
       GraphSketch g({6, 1, 1});
       return g.classify(g.batch_norm(g.fully_connected(kInput, 8)), 3);
     }},
    {"max_pool",
     [] {
       GraphSketch g({2, 7, 7});
       const int a = g.convolution(kInput, 3, {3, 3, 1, 1, 1, 1, 1});
       return g.classify(g.pool(Kind::max_pool, a, {3, 3, 2, 0, 1, 0, 1}), 3);
     }},
    {"average_pool_counts_no_padding",
     [] {
       GraphSketch g({2, 6, 6});
       const int a = g.convolution(kInput, 3, {3, 3, 1, 1, 1, 1, 1});
       return g.classify(g.pool(Kind::average_pool, a, {3, 3, 2, 1, 1, 1, 1}), 3);
     }},
    {"global_average_pool",
     [] {
       GraphSketch g({2, 6, 6});
       return g.classify(g.pool(Kind::average_pool, g.convolution(kInput, 9, {}), {4, 4}), 3);
     }},
    {"local_response_norm",
     [] {
       GraphSketch g({2, 4, 4});
       const int a = g.convolution(kInput, 12, {});
       return g.classify(g.response_norm(a, 9, 0.5, 0.75), 3);
     }},
    {"addition_of_a_shared_tensor",  // a's gradient is a sum of three
     [] {
       GraphSketch g({2, 5, 5});
       const int a = g.simple(Kind::activation, g.convolution(kInput, 4, {3, 3, 1, 1, 1, 1, 1}));
       const int b = g.convolution(a, 4, {3, 3, 1, 1, 1, 1, 1});
       return g.classify(g.simple(Kind::activation, g.add({a, b, a})), 3);
     }},
    {"addition_with_itself",
     [] {
       GraphSketch g({2, 3, 3});
       const int a = g.convolution(kInput, 4, {});
       return g.classify(g.add({a, a}), 3);
     }},
    {"addition_of_the_input",
     [] {
       GraphSketch g({2, 3, 3});
       return g.classify(g.add({kInput, g.convolution(kInput, 2, {1, 1}), kInput}), 3);
     }},
    {"concatenation_of_shared_tensors",
     [] {
       GraphSketch g({2, 5, 5});
       const int a = g.convolution(kInput, 3, {3, 3, 1, 1, 1, 1, 1});
       const int b = g.concat({a, g.convolution(a, 5, {3, 3, 1, 1, 1, 1, 1}), kInput});
       const int c = g.convolution(g.simple(Kind::activation, b), 2, {1, 1});
       return g.classify(g.concat({b, c, b}), 3);
     }},
    {"dropout_of_a_perceptron",
     [] {
       GraphSketch g({6, 1, 1});
       int x = g.dropout(g.simple(Kind::activation, g.fully_connected(kInput, 30)), 0.5);
       x = g.dropout(g.simple(Kind::activation, g.dropout(g.fully_connected(x, 20), 0.2)), 0.5);
       return g.classify(x, 4);
     }},
    {"dropout_of_the_input_and_of_images",
     [] {
       GraphSketch g({3, 5, 4});
       const Window same{3, 3, 1, 1, 1, 1, 1};
       const int a = g.convolution(g.dropout(kInput, 0.25), 4, same);
       const int b = g.dropout(g.simple(Kind::activation, a), 0.5);
       const int c = g.dropout(g.batch_norm(g.convolution(b, 4, same)), 0.25);
       return g.classify(g.dropout(g.add({b, g.simple(Kind::activation, c)}), 0.5), 3);
     }},
    {"dropout_of_a_shared_tensor",
     [] {
       GraphSketch g({2, 4, 4});
       const int a = g.convolution(kInput, 3, {1, 1});
       const int b = g.dropout(a, 0.5);
       return g.classify(g.concat({a, b, g.dropout(b, 0.5)}), 3);
     }},
    {"dropout_between_lstms",
     [] {
       GraphSketch g({1, 6, 1});
       const int a = g.lstm(g.dropout(g.embedding(kInput, 8, 5), 0.5), 4);
       const int b = g.dropout(g.lstm(g.dropout(a, 0.5), 4), 0.5);
       return g.classify(g.pool(Kind::average_pool, b, {6, 1}), 3);
     }},
    {"dropout_of_nothing",
     [] {
       GraphSketch g({2, 3, 3});
       const int a = g.simple(Kind::dropout, g.convolution(kInput, 3, {1, 1}));
       const int b = g.simple(Kind::activation, g.simple(Kind::dropout, a));
       return g.classify(g.simple(Kind::dropout, g.add({a, b})), 3);
     }},
    {"embedding",
     [] {
       GraphSketch g({1, 6, 1});
       return g.classify(g.embedding(kInput, 7, 3), 3);
     }},
    {"lstm_of_the_input",
     [] {
       GraphSketch g({3, 5, 1});
       return g.classify(g.lstm(kInput, 4), 3);
     }},
    {"lstm_of_one_step",
     [] {
       GraphSketch g({3, 1, 1});
       return g.classify(g.lstm(kInput, 2), 3);
     }},
    {"mean_of_two_lstms_of_tokens",
     [] {
       GraphSketch g({1, 9, 1});
       const int a = g.lstm(g.embedding(kInput, 11, 5), 6);
       return g.classify(g.pool(Kind::average_pool, g.lstm(a, 4), {9, 1}), 3);
     }},
    {"lstm_whose_input_others_read",
     [] {
       GraphSketch g({1, 4, 1});
       const int a = g.embedding(kInput, 5, 3);
       const int b = g.lstm(a, 3);
       return g.classify(g.add({a, b, g.lstm(b, 3)}), 3);
     }},
    {"residual_blocks_with_padded_shortcut",
     [] {
       GraphSketch g({3, 8, 8});
       const Window same{3, 3, 1, 1, 1, 1, 1};
       const int a =
           g.simple(Kind::activation, g.batch_norm(g.convolution(kInput, 4, same, false)));
       int b = g.simple(Kind::activation, g.batch_norm(g.convolution(a, 4, same, false)));
       b = g.batch_norm(g.convolution(b, 4, same, false));
       const int c = g.simple(Kind::activation, g.add({a, b}));
       int d = g.batch_norm(g.convolution(c, 7, {3, 3, 2, 0, 1, 0, 1}, false));
       d = g.batch_norm(g.convolution(g.simple(Kind::activation, d), 7, same, false));
       const int e = g.pad(g.pool(Kind::average_pool, c, {2, 2, 2}), 7);
       const int f = g.simple(Kind::activation, g.add({e, d}));
       return g.classify(g.pool(Kind::average_pool, f, {4, 4}), 3);
     }},
};

class Gradient : public testing::TestWithParam<Case> {};

TEST_P(Gradient, IsThatOfTheDefinitions) {
  const Network network = GetParam().network();
  constexpr int kItems = 5;
  expect_gradient(*make_arithmetic(network, kItems), network, kItems, 60);
}

// The graph arithmetic computes what the dense one does, so it is held to the same there too.
TEST_P(Gradient, IsThatOfTheDefinitionsByTheGraph) {
  const Network network = GetParam().network();
  constexpr int kItems = 3;
  expect_gradient(*make_convolutional(network, kItems), network, kItems, 20);
}

// The gradient of one pass leaves nothing behind: not after a pass that was given up half way, and
// nothing beside a layer's own slice.
TEST_P(Gradient, IsTheSameAfterOtherPasses) {
  const Network network = GetParam().network();
  constexpr int kItems = 4;
  const auto arithmetic = make_arithmetic(network, kItems);
  const std::vector<float> weights = uneven_weights(network);
  const DrawnBatch batch(network, kItems), other(network, kItems, 1, 7);
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

INSTANTIATE_TEST_SUITE_P(Layers, Gradient, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// A network as users run it, too large for the reference: along its own gradient the loss rises at
// the rate of the gradient's length, and along single weights at theirs.
TEST(GradientOfAPreset, IsTheSlopeOfTheLoss) {
  const Network network = load_network(Tree::scalar("cifar10_resnet20"));
  constexpr int kItems = 4;
  const auto arithmetic = make_arithmetic(network, kItems);
  const DrawnBatch batch(network, kItems);
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

  // The weight of largest gradient in the first, a middle and the last layer that has any.
  const std::vector<std::int64_t> offsets = network.parameter_offsets();
  for (const std::size_t layer : {std::size_t{0}, network.layers.size() / 2}) {
    std::size_t learned = layer;
    while (network.layers[learned].parameters == 0) ++learned;
    const auto begin = gradient.begin() + offsets[learned];
    const auto steepest =
        std::max_element(begin, begin + network.layers[learned].parameters,
                         [](float a, float b) { return std::abs(a) < std::abs(b); });
    std::vector<float> axis(weights.size(), 0.0f);
    axis[static_cast<std::size_t>(steepest - gradient.begin())] = 1.0f;
    EXPECT_NEAR(slope(axis, 2e-3f), *steepest, 0.05 * std::abs(static_cast<double>(*steepest)))
        << network.layers[learned].name;
  }
}

}  // namespace
}  // namespace paceline
