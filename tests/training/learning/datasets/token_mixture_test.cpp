// SPDX-License-Identifier: MIT
#include "training/learning/datasets/token_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_items.hpp"
#include "training/learning/evaluator.hpp"
#include "training/learning/optimizers/sgd.hpp"

namespace paceline {
namespace {

constexpr Shape kShape{1, 25, 1};

TEST(TokenMixture, DrawsWholeNumbersOfTheVocabularyAndUsesAll) {
  TokenMixture dataset;
  dataset.vocabulary = 40;
  std::set<float> seen;
  for (const float id : draw(dataset, kShape, 3, 200, 1, 0, 0).inputs) {
    EXPECT_EQ(id, std::floor(id));
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 40u);
  EXPECT_EQ(*seen.begin(), 0.0f);
  EXPECT_EQ(*seen.rbegin(), 39.0f);
}

// With a signal of 100 % an item has only its class's own tokens, the same for every worker.
TEST(TokenMixture, EachClassHasItsOwnTokens) {
  TokenMixture dataset;
  dataset.vocabulary = 1'000'000;  // so that hardly any two classes share one
  dataset.own = 5;
  dataset.signal = Percent{1};
  std::map<float, std::set<float>> own;
  for (const int worker : {0, 1}) {
    const DrawnItems drawn = draw(dataset, kShape, 3, 500, 1, worker, 0);
    for (std::size_t i = 0; i < drawn.inputs.size(); ++i) {
      own[drawn.targets[i / 25]].insert(drawn.inputs[i]);
    }
  }
  std::set<float> all;
  for (const auto& [label, tokens] : own) {
    EXPECT_EQ(tokens.size(), 5u) << label;
    all.insert(tokens.begin(), tokens.end());
  }
  EXPECT_EQ(own.size(), 3u);
  EXPECT_EQ(all.size(), 15u);
}

// Of 5000 x 25 tokens a quarter is of the item's class, within four standard errors; none is of the
// class of another seed.
TEST(TokenMixture, TheSignalIsTheShareThatItSays) {
  TokenMixture dataset, pure;
  dataset.vocabulary = pure.vocabulary = 1'000'000;
  pure.signal = Percent{1};
  std::map<float, std::set<float>> own;
  const DrawnItems examples = draw(pure, kShape, 4, 500, 1, 0, 0);
  for (std::size_t i = 0; i < examples.inputs.size(); ++i) {
    own[examples.targets[i / 25]].insert(examples.inputs[i]);
  }
  const auto share = [&](std::uint64_t seed) {
    const DrawnItems drawn = draw(dataset, kShape, 4, 5000, seed, 7, 9);
    double hits = 0;
    for (std::size_t i = 0; i < drawn.inputs.size(); ++i) {
      hits += static_cast<double>(own[drawn.targets[i / 25]].count(drawn.inputs[i]));
    }
    return hits / static_cast<double>(drawn.inputs.size());
  };
  EXPECT_NEAR(share(1), 0.25, 4 * std::sqrt(0.25 * 0.75 / 125'000));
  EXPECT_LT(share(2), 0.01);
}

/// Three sequences of unequal length, padded to `length`.
DrawnItems three_sequences(const TokenMixture& dataset, int length) {
  const std::vector<int> own{2, 5, 4};
  const std::vector<double> ranks{0.1, 0.9, 0.5};
  const Shape shape{1, length, 1};
  DrawnItems drawn(shape, own.size());
  dataset.draw_sequences(shape, 4, 1, 0, 0, {own, ranks}, drawn.inputs, drawn.targets);
  return drawn;
}

TEST(TokenMixture, SequencesArePaddedAndDoNotDependOnThePadding) {
  TokenMixture dataset;
  const DrawnItems five = three_sequences(dataset, 5);
  const DrawnItems eight = three_sequences(dataset, 8);
  EXPECT_EQ(five.targets, eight.targets);
  const std::vector<std::size_t> own{2, 5, 4};
  for (std::size_t item = 0; item < 3; ++item) {
    for (std::size_t at = 0; at < 8; ++at) {
      const float token = at < own[item] ? five.inputs[item * 5 + at] : 0;
      EXPECT_EQ(eight.inputs[item * 8 + at], token) << item << ", " << at;
    }
  }
}

TEST(TokenMixture, TheClassFollowsFromTheLengthAsOftenAsItSays) {
  TokenMixture dataset;
  dataset.by_length = Percent{1};
  EXPECT_EQ(three_sequences(dataset, 5).targets, (std::vector<float>{0, 3, 2}));
  // 60 % follow, and of the others each fourth has that class by chance: 70 %
  dataset.by_length = Percent{0.6};
  constexpr std::size_t kItems = 4000;
  const std::vector<int> own(kItems, 1);
  const std::vector<double> ranks(kItems, 0.3);
  DrawnItems drawn({1, 1, 1}, kItems);
  dataset.draw_sequences({1, 1, 1}, 4, 1, 0, 0, {own, ranks}, drawn.inputs, drawn.targets);
  const auto second = std::ranges::count(drawn.targets, 1.0F);
  EXPECT_NEAR(static_cast<double>(second) / kItems, 0.7, 4 * std::sqrt(0.7 * 0.3 / kItems));
}

TEST(TokenMixture, NeedsAVocabularyThatTheEmbeddingCovers) {
  const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 1, height: 4}, classes: 2, blocks: [{kind: embedding, vocabulary: 50, "
      "features: 3}, global-average-pool, classifier]}"));
  TokenMixture dataset;
  EXPECT_EQ(dataset.unfit(network),
            "its vocabulary is 1000, but the network's embedding has 50 (set 'vocabulary')");
  dataset.vocabulary = 50;
  EXPECT_EQ(dataset.unfit(network), "");
}

// An LSTM learns to classify most items.
TEST(TokenMixture, IsLearnedByAnLstm) {
  TokenMixture dataset;
  dataset.vocabulary = 200;
  const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 1, height: 25}, classes: 5, blocks: [{kind: embedding, vocabulary: 200, "
      "features: 16}, {kind: lstm, units: 16}, global-average-pool, classifier]}"));
  constexpr int kItems = 32;
  const Sgd rule;
  const auto arithmetic = make_arithmetic(network, kItems);
  std::vector<float> weights = initial_weights(network, 1), gradient(weights.size());
  OptimizerState state = rule.start(weights.size());
  Evaluator evaluator(network, dataset, 1, 1000);
  EXPECT_LT(evaluator.evaluate(weights).accuracy, 0.4);
  const int layers = static_cast<int>(network.layers.size());
  for (int step = 0; step < 300; ++step) {
    const DrawnItems batch = draw(dataset, kShape, 5, kItems, 1, 0, step);
    arithmetic->load(batch.inputs, batch.targets);
    for (int layer = 0; layer < layers; ++layer) arithmetic->forward(layer, weights);
    for (int layer = layers - 1; layer >= 0; --layer) {
      arithmetic->backward(layer, weights, gradient);
    }
    rule.update(weights, weights, gradient, 1.0f, 1.0f, state);
  }
  const Score score = evaluator.evaluate(weights);
  EXPECT_GT(score.accuracy, 0.8);
  EXPECT_LT(score.loss, 0.6);
}

}  // namespace
}  // namespace paceline
