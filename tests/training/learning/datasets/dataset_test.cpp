// SPDX-License-Identifier: MIT
#include "training/learning/datasets/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_items.hpp"
#include "training/learning/datasets/gaussian_mixture.hpp"
#include "training/learning/normal_noise.hpp"

namespace paceline {
namespace {

TEST(Normal, HasTheMomentsOfTheNormal) {
  std::vector<float> numbers(400'001, 0.0f);  // not a multiple of the four words of a block
  add_normal(numbers, 1.0f, {1, 2}, 3);
  double sum = 0, squares = 0, fourth = 0;
  for (const float number : numbers) {
    const auto x = static_cast<double>(number);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  const auto count = static_cast<double>(numbers.size());
  EXPECT_NEAR(sum / count, 0.0, 0.005);  // three standard errors
  EXPECT_NEAR(squares / count, 1.0, 0.007);
  EXPECT_NEAR(fourth / count, 3.0, 0.06);
  EXPECT_LT(*std::max_element(numbers.begin(), numbers.end()), 4.0f);
}

TEST(Normal, AddsToWhatIsThere) {
  std::vector<float> once(7, 1.0f), twice(5, 0.0f);
  add_normal(once, 2.0f, {1, 2}, 3);
  add_normal(twice, 1.0f, {1, 2}, 3);
  for (std::size_t i = 0; i < twice.size(); ++i) EXPECT_FLOAT_EQ(once[i], 1 + 2 * twice[i]);
}

/// Every dataset that needs no files, with default keys.
std::vector<Choice<Dataset>> drawn_datasets() {
  std::vector<Choice<Dataset>> all;
  for (const auto& row : family<Dataset>().rows) {
    Choice<Dataset> dataset(row.name);
    if (dataset) all.push_back(dataset);
  }
  return all;
}

TEST(Datasets, DrawTheSameForTheSameAndOtherForOther) {
  EXPECT_EQ(drawn_datasets().size(), 4u);
  for (const Choice<Dataset>& dataset : drawn_datasets()) {
    SCOPED_TRACE(dataset.kind());
    const Shape shape{3, 4, 5};
    const DrawnItems first = draw(*dataset, shape, 7, 16, 1, 2, 3);
    EXPECT_EQ(draw(*dataset, shape, 7, 16, 1, 2, 3), first);
    EXPECT_NE(draw(*dataset, shape, 7, 16, 2, 2, 3), first);
    EXPECT_NE(draw(*dataset, shape, 7, 16, 1, 3, 3), first);
    EXPECT_NE(draw(*dataset, shape, 7, 16, 1, 2, 4), first);
    // The items of a smaller mini-batch are the first items of a larger one.
    const DrawnItems few = draw(*dataset, shape, 7, 5, 1, 2, 3);
    EXPECT_TRUE(std::equal(few.inputs.begin(), few.inputs.end(), first.inputs.begin()));
    EXPECT_TRUE(std::equal(few.targets.begin(), few.targets.end(), first.targets.begin()));
  }
}

// Another truth is drawn in between, to detect values wrongly kept from it.
TEST(Datasets, DrawTheSameAfterOtherSeedsAndShapes) {
  for (const Choice<Dataset>& dataset : drawn_datasets()) {
    SCOPED_TRACE(dataset.kind());
    const DrawnItems first = draw(*dataset, {6, 1, 1}, 3, 8, 1, 0, 0);
    draw(*dataset, {6, 1, 1}, 3, 8, 2, 0, 0);
    draw(*dataset, {2, 3, 1}, 4, 8, 1, 0, 0);
    EXPECT_EQ(draw(*dataset, {6, 1, 1}, 3, 8, 1, 0, 0), first);
    EXPECT_EQ(draw(*Choice<Dataset>(dataset.kind()), {6, 1, 1}, 3, 8, 1, 0, 0), first);
  }
}

// Two threads that use different truths in turn get the same draws as a single thread.
TEST(Datasets, MayBeSharedByThreads) {
  const Shape shape{6, 1, 1};
  for (const Choice<Dataset>& dataset : drawn_datasets()) {
    SCOPED_TRACE(dataset.kind());
    const auto draw_all = [&](std::uint64_t seed) {
      std::vector<float> all;
      for (int step = 0; step < 50; ++step) {
        const DrawnItems drawn = draw(*dataset, shape, 3, 4, seed, 0, step);
        all.insert(all.end(), drawn.inputs.begin(), drawn.inputs.end());
        all.insert(all.end(), drawn.targets.begin(), drawn.targets.end());
      }
      return all;
    };
    const std::vector<float> first = draw_all(1), second = draw_all(2);
    std::vector<float> one, other;
    {
      const std::jthread thread([&] { one = draw_all(1); });
      other = draw_all(2);
    }
    EXPECT_EQ(one, first);
    EXPECT_EQ(other, second);
  }
}

TEST(Datasets, HoldItemsOutThatNoWorkerTrainsOn) {
  for (const Choice<Dataset>& dataset : drawn_datasets()) {
    SCOPED_TRACE(dataset.kind());
    const Shape shape{6, 1, 1};
    const DrawnItems first = draw_held_out(*dataset, shape, 3, 8, 1, 0);
    EXPECT_EQ(draw_held_out(*dataset, shape, 3, 8, 1, 0), first);
    EXPECT_NE(draw_held_out(*dataset, shape, 3, 8, 1, 1), first);
    for (const int worker : {0, 1, 4095}) {
      EXPECT_NE(draw(*dataset, shape, 3, 8, 1, worker, 0), first);
    }
  }
}

TEST(Datasets, SayWhichNetworksTheyCannotTrain) {
  const Network classifier = load_network(Tree::scalar("softmax"));
  const Network linear = load_network(Tree::scalar("linear"));
  for (const char* name : {"gaussian-mixture", "teacher-student"}) {
    const Choice<Dataset> dataset(name);
    EXPECT_EQ(dataset->unfit(classifier), "");
    EXPECT_EQ(dataset->unfit(linear),
              "its targets are classes, but the network does not end in softmax");
    EXPECT_EQ(dataset->optimal_loss(), 0);
  }
  const Choice<Dataset> tokens("token-mixture");
  const Network reader = load_network(Tree::scalar("lstm_imdb"));
  EXPECT_EQ(tokens->unfit(reader), "");
  EXPECT_EQ(tokens->unfit(classifier),
            "its items are token ids, but the network does not begin with an embedding");
  for (const char* name : {"gaussian-mixture", "teacher-student"}) {
    EXPECT_EQ(Choice<Dataset>(name)->unfit(reader),
              "its items are plain numbers, but the network reads token ids (token-mixture has "
              "those)");
  }
  const Choice<Dataset> values("least-squares");
  EXPECT_EQ(values->unfit(linear), "");
  EXPECT_EQ(values->unfit(classifier),
            "its targets are values, but the network does not end in a squared error");
}

TEST(Datasets, FollowFromTheNetworkUnlessGiven) {
  EXPECT_EQ(default_dataset(load_network(Tree::scalar("lstm_imdb"))), "token-mixture");
  EXPECT_EQ(default_dataset(load_network(Tree::scalar("mlp"))), "gaussian-mixture");
}

// 2000 items per class: the centres have the requested distance, the noise around them is standard
// normal, classes are equally likely, and another worker has the same centres.
TEST(GaussianMixture, IsWhatItSays) {
  GaussianMixture mixture;
  mixture.separation = 10;
  constexpr std::size_t kItems = 8000, kClasses = 4, kElements = 300;
  const auto centres = [&](int worker, std::vector<std::size_t>& counts, double& variance) {
    const DrawnItems drawn = draw(mixture, {300, 1, 1}, kClasses, kItems, 5, worker, 0);
    std::vector<std::vector<double>> mean(kClasses, std::vector<double>(kElements));
    counts.assign(kClasses, 0);
    double squares = 0;
    for (std::size_t i = 0; i < kItems; ++i) {
      const auto label = static_cast<std::size_t>(drawn.targets[i]);
      ++counts.at(label);
      for (std::size_t k = 0; k < kElements; ++k) {
        const auto x = static_cast<double>(drawn.inputs[i * kElements + k]);
        mean[label][k] += x;
        squares += x * x;
      }
    }
    for (std::size_t c = 0; c < kClasses; ++c) {
      for (double& m : mean[c]) {
        m /= static_cast<double>(counts[c]);
        squares -= m * m * static_cast<double>(counts[c]);
      }
    }
    variance = squares / static_cast<double>(kItems * kElements);
    return mean;
  };
  std::vector<std::size_t> counts;
  double variance = 0;
  const auto one = centres(0, counts, variance);
  EXPECT_NEAR(variance, 1.0, 0.01);
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count), 2000.0, 150.0);
  const auto other = centres(1, counts, variance);
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double squares = 0;
    for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(squares);
  };
  for (std::size_t a = 0; a < kClasses; ++a) {
    EXPECT_LT(distance(one[a], other[a]), 1.0);
    for (std::size_t b = 0; b < a; ++b) EXPECT_NEAR(distance(one[a], one[b]), 10.0, 1.5);
  }
}

}  // namespace
}  // namespace paceline
