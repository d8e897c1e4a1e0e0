// SPDX-License-Identifier: MIT
#include "training/learning/evaluator.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_items.hpp"
#include "tests/training/learning/arithmetic/reference_loss.hpp"
#include "training/learning/datasets/gaussian_mixture.hpp"
#include "training/learning/datasets/least_squares.hpp"

namespace paceline {
namespace {

/// The first held-out items, drawn in blocks of 32 as by an evaluator.
DrawnItems first_held_out(const Dataset& dataset, const Network& network, std::size_t items) {
  DrawnItems all(network.input, 0);
  for (std::int64_t block = 0; all.targets.size() < items; ++block) {
    const DrawnItems next = draw_held_out(dataset, network.input, network.classes,
                                          std::min<std::size_t>(items, 32), 5, block);
    all.inputs.insert(all.inputs.end(), next.inputs.begin(), next.inputs.end());
    all.targets.insert(all.targets.end(), next.targets.begin(), next.targets.end());
  }
  all.targets.resize(items);
  all.inputs.resize(items * static_cast<std::size_t>(network.input.elements()));
  return all;
}

// Fewer items than a block, whole blocks, and a last block of 6: the mean over all items must equal
// the definition in double, and the mean of items evaluated one by one.
TEST(Evaluator, TakesTheMeanOverAllItems) {
  const Network network = load_network(Tree::scalar("mlp"));
  const GaussianMixture dataset;
  const std::vector<float> weights = initial_weights(network, 3);
  for (const std::size_t items : {5u, 64u, 70u}) {
    SCOPED_TRACE(items);
    const DrawnItems drawn = first_held_out(dataset, network, items);
    ReferenceLoss reference(network, drawn.inputs, drawn.targets);
    const auto alone = make_arithmetic(network, 1);
    double right = 0;
    for (std::size_t i = 0; i < items; ++i) {
      alone->load(std::span(drawn.inputs).subspan(32 * i, 32),
                  std::span(drawn.targets).subspan(i, 1));
      for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer) {
        alone->forward(layer, weights);
      }
      right += alone->accuracy();
    }
    Evaluator evaluator(network, dataset, 5, static_cast<int>(items));
    const Score score = evaluator.evaluate(weights);
    EXPECT_NEAR(score.loss, reference.loss({weights.begin(), weights.end()}), 1e-5);
    EXPECT_NEAR(score.accuracy, right / static_cast<double>(items), 1e-12);
    // The score is the same again after other weights.
    evaluator.evaluate(initial_weights(network, 4));
    EXPECT_EQ(evaluator.evaluate(weights).loss, score.loss);
  }
}

TEST(Evaluator, IsExactWhereTheDatasetIs) {
  const Network network = load_network(Tree::scalar("linear"));
  const LeastSquares dataset;
  const std::vector<float> weights = initial_weights(network, 3);
  const Score score = Evaluator(network, dataset, 5, 10).evaluate(weights);
  EXPECT_EQ(score.loss, dataset.exact_loss(network, 5, weights));
  EXPECT_TRUE(std::isnan(score.accuracy));
}

TEST(Evaluator, SaysWhenTrainingDiverged) {
  const Network network = load_network(Tree::scalar("softmax"));
  const GaussianMixture dataset;
  const std::vector<float> weights(static_cast<std::size_t>(network.parameters()), NAN);
  EXPECT_TRUE(std::isnan(Evaluator(network, dataset, 5, 40).evaluate(weights).loss));
}

}  // namespace
}  // namespace paceline
