// SPDX-License-Identifier: MIT
#include "training/learning/datasets/least_squares.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_items.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/optimizers/sgd.hpp"

namespace paceline {
namespace {

Network linear(int inputs, bool bias) {
  return load_network(parse_yaml("linear", "{kind: linear, inputs: " + std::to_string(inputs) +
                                               ", bias: " + (bias ? "true" : "false") + "}"));
}

// Condition 100 over three inputs: variances 1, 1/10 and 1/100.
TEST(LeastSquares, HasTheRequestedSpectrum) {
  LeastSquares dataset;
  dataset.condition = 100;
  EXPECT_THAT(dataset.spectrum(3),
              testing::ElementsAre(1, testing::DoubleEq(0.1), testing::DoubleEq(0.01)));
  EXPECT_THAT(dataset.spectrum(1), testing::ElementsAre(1));
  constexpr std::size_t kItems = 100'000;
  const DrawnItems drawn = draw(dataset, {3, 1, 1}, 1, kItems, 4, 0, 0);
  std::vector<double> moments(6);  // xx, xy, xz, yy, yz, zz
  for (std::size_t i = 0; i < kItems; ++i) {
    const float* x = &drawn.inputs[3 * i];
    std::size_t next = 0;
    for (int a = 0; a < 3; ++a) {
      for (int b = a; b < 3; ++b) moments[next++] += static_cast<double>(x[a] * x[b]) / kItems;
    }
  }
  const std::vector<double> expected{1, 0, 0, 0.1, 0, 0.01};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(moments[i], expected[i], 0.012) << i;
  EXPECT_NEAR(moments[3], 0.1, 0.0015);
  EXPECT_NEAR(moments[5], 0.01, 0.00015);
}

TEST(LeastSquares, HasItsLeastLossAtTheOptimum) {
  LeastSquares dataset;
  dataset.noise = 0.6;
  const Network network = linear(8, true);
  std::vector<float> weights = dataset.optimum(network.input, 3);
  weights.push_back(0);
  EXPECT_DOUBLE_EQ(dataset.optimal_loss(), 0.18);
  EXPECT_DOUBLE_EQ(dataset.exact_loss(network, 3, weights).value(), 0.18);
  weights[0] += 0.5f;  // of variance 1
  weights[7] -= 1.0f;  // of variance 1 / 10
  weights[8] = 2.0f;   // the bias
  EXPECT_NEAR(dataset.exact_loss(network, 3, weights).value(), 0.18 + (0.25 + 0.1 + 4) / 2, 1e-6);
  EXPECT_NE(dataset.optimum(network.input, 4), dataset.optimum(network.input, 3));
}

// The mean over 200,000 items is within four standard errors of the expectation: the squared error
// of one item is v times a chi-square of one degree of freedom, v twice the expected loss.
TEST(LeastSquares, ExpectsTheLossThatItsItemsHave) {
  const LeastSquares dataset;
  const Network network = linear(20, true);
  constexpr int kItems = 200'000;
  const DrawnItems drawn = draw(dataset, network.input, 1, kItems, 7, 3, 5);
  const auto arithmetic = make_arithmetic(network, kItems);
  const std::vector<float> weights = initial_weights(network, 2);
  arithmetic->load(drawn.inputs, drawn.targets);
  for (int layer = 0; layer < 2; ++layer) arithmetic->forward(layer, weights);
  const double expected = dataset.exact_loss(network, 7, weights).value();
  EXPECT_GT(expected, 2 * dataset.optimal_loss());
  EXPECT_NEAR(arithmetic->loss(), expected, 4 * expected * std::sqrt(2.0 / kItems));
}

TEST(LeastSquares, HasNoExactLossForOtherNetworks) {
  const Network network = load_network(Tree::scalar("softmax"));
  const LeastSquares dataset;
  EXPECT_FALSE(dataset.exact_loss(network, 1, initial_weights(network, 1)));
}

// SGD of step s and m items per gradient on inputs of variances v_i and noise n: the error e = w -
// w* has E[e e^T] diagonal in the long run, of elements c_i with
//   0 = -2 s v_i c_i + s^2 ((1 + 1/m) v_i^2 c_i + (S + n^2) v_i / m),   S = sum of v_j c_j,
// because E[x x^T C x x^T] = 2 H C H + tr(H C) H for normal x of covariance H. So, with
//   A = s / m x sum of v_i / (2 - s (1 + 1/m) v_i),   S = n^2 A / (1 - A),
// and the loss stays S / 2 above the least one: about s n^2 tr(H) / (4 m) for small s.
// Source: Feuer & Weinstein, "Convergence analysis of LMS filters with uncorrelated Gaussian data",
// IEEE Trans. ASSP 33, 1985, for m = 1.
double floor_above_least(const LeastSquares& dataset, int inputs, double step, double items) {
  double sum = 0;
  for (const double v : dataset.spectrum(inputs)) sum += v / (2 - step * (1 + 1 / items) * v);
  const double a = step / items * sum;
  return dataset.noise * dataset.noise * a / (1 - a) / 2;
}

struct Setup {
  double step;
  int items;
  int workers;  ///< gradients per update
};

class LeastSquaresFloor : public testing::TestWithParam<Setup> {};

// The mean loss over 200,000 updates, of which some thousands are independent.
TEST_P(LeastSquaresFloor, IsWhereGradientDescentStays) {
  const auto [step, items, workers] = GetParam();
  constexpr int kInputs = 20, kUpdates = 200'000, kBefore = 4'000;
  const LeastSquares dataset;
  const Network network = linear(kInputs, false);
  const Sgd rule;
  const auto arithmetic = make_arithmetic(network, items);
  std::vector<float> weights = initial_weights(network, 1), gradient(kInputs), sum(kInputs);
  OptimizerState state = rule.start(kInputs);
  DrawnItems batch(network.input, static_cast<std::size_t>(items));
  double mean = 0;
  for (int update = 0; update < kUpdates; ++update) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int worker = 0; worker < workers; ++worker) {
      dataset.draw(network.input, 1, 1, worker, update, batch.inputs, batch.targets);
      arithmetic->load(batch.inputs, batch.targets);
      for (const int layer : {0, 1}) arithmetic->forward(layer, weights);
      for (const int layer : {1, 0}) arithmetic->backward(layer, weights, gradient);
      accumulate(sum, gradient);
    }
    rule.update(weights, weights, sum, 1.0f / static_cast<float>(workers), step, state);
    if (update < kBefore) continue;
    mean += dataset.exact_loss(network, 1, weights).value() / (kUpdates - kBefore);
  }
  const double expected = floor_above_least(dataset, kInputs, step, items * workers);
  EXPECT_NEAR(mean - dataset.optimal_loss(), expected, 0.03 * expected);
}

INSTANTIATE_TEST_SUITE_P(Steps, LeastSquaresFloor,
                         testing::Values(Setup{0.05, 1, 1}, Setup{0.1, 4, 1}, Setup{0.1, 1, 4}));

}  // namespace
}  // namespace paceline
