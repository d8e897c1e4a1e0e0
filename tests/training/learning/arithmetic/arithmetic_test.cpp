// SPDX-License-Identifier: MIT
// Properties of the arithmetic as a whole: both implementations agree, it learns, its initial
// weights, and the networks that it refuses.
#include "training/learning/arithmetic/arithmetic.hpp"

#include <cmath>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/drawn_batch.hpp"
#include "tests/training/learning/arithmetic/graph_sketch.hpp"
#include "training/learning/arithmetic/eigen_chain.hpp"
#include "training/learning/arithmetic/onednn.hpp"
#include "training/learning/optimizers/momentum.hpp"
#include "training/learning/optimizers/sgd.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StrEq;

Network preset(const char* name) {
  return load_network(Tree::scalar(name));
}

Network perceptron() {
  GraphSketch g({32, 1, 1});
  int x = g.simple(LayerKind::activation, g.fully_connected(GraphSketch::kInput, 64));
  x = g.simple(LayerKind::activation, g.fully_connected(x, 48));
  return g.classify(x, 10);
}

/// Trains for `steps` and returns the mean loss of the last ten steps.
double loss_after(const Network& network, const Optimizer& rule, int batch, int steps,
                  double separation = 6) {
  const auto arithmetic = make_arithmetic(network, batch);
  std::vector<float> weights = initial_weights(network, 1);
  OptimizerState state = rule.start(weights.size());
  double recent = 0;
  for (int step = 0; step < steps; ++step) {
    const RandomBatch drawn(network, batch, 0, step, separation);
    const std::vector<float> gradient = pass(*arithmetic, network, drawn, weights);
    if (step >= steps - 10) recent += arithmetic->loss() / 10;
    rule.update(weights, weights, gradient, 1.0f, rule.learning_rate, state);
  }
  return recent;
}

TEST(Arithmetic, OfChainsAgreesWithThatOfGraphs) {
  const Network network = perceptron();
  ASSERT_TRUE(is_dense(network));
  constexpr int kItems = 16;
  Dense dense(network, kItems);
  const auto graph = make_convolutional(network, kItems);
  const RandomBatch batch(network, kItems);
  const std::vector<float> weights = initial_weights(network, 1);
  const std::vector<float> one = pass(dense, network, batch, weights);
  const std::vector<float> other = pass(*graph, network, batch, weights);
  EXPECT_NEAR(dense.loss(), graph->loss(), 1e-6);
  EXPECT_EQ(dense.accuracy(), graph->accuracy());
  EXPECT_THAT(one, testing::Pointwise(testing::FloatNear(1e-6f), other));
}

TEST(Arithmetic, LearnsSoftmaxRegression) {
  Sgd rule;
  rule.learning_rate = 0.1;
  const Network network = preset("softmax");
  EXPECT_GT(loss_after(network, rule, 32, 10), 1.0);
  EXPECT_LT(loss_after(network, rule, 32, 300), 0.35);
}

TEST(Arithmetic, LearnsWithAPerceptron) {
  Momentum rule;
  rule.learning_rate = 0.02;
  const Network network = perceptron();
  EXPECT_LT(loss_after(network, rule, 32, 300), 0.2);
}

TEST(Arithmetic, LearnsImages) {
  GraphSketch g({3, 8, 8});
  const GraphSketch::Window same{3, 3, 1, 1, 1, 1, 1};
  const int a = g.simple(LayerKind::activation,
                         g.batch_norm(g.convolution(GraphSketch::kInput, 16, same, false)));
  const int b = g.batch_norm(g.convolution(a, 16, same, false));
  const int c = g.simple(LayerKind::activation, g.add({a, b}));
  const Network network = g.classify(g.pool(LayerKind::average_pool, c, {2, 2, 2}), 10);
  Sgd rule;
  rule.learning_rate = 0.1;
  EXPECT_LT(loss_after(network, rule, 16, 120, 20), 0.3);
}

// Workers on their own threads compute what a single worker computes, to the last bit.
TEST(Arithmetic, IsTheSameOnAnyThread) {
  const Network network = preset("cifar10_resnet20");
  constexpr int kItems = 2;
  const std::vector<float> weights = initial_weights(network, 1);
  const auto gradient_of = [&](int worker) {
    const RandomBatch batch(network, kItems, worker);
    return pass(*make_arithmetic(network, kItems), network, batch, weights);
  };
  std::vector<std::vector<float>> gradients(2);
  {
    std::jthread first([&] { gradients[0] = gradient_of(0); });
    std::jthread second([&] { gradients[1] = gradient_of(1); });
  }
  EXPECT_EQ(gradients[0], gradient_of(0));
  EXPECT_EQ(gradients[1], gradient_of(1));
}

/// The present number of threads of this program.
std::ptrdiff_t count_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// A worker is one thread: oneDNN must not start others.
TEST(Arithmetic, UsesTheThreadOfItsCallerAlone) {
  if (!std::filesystem::exists("/proc/self/task")) GTEST_SKIP() << "no list of threads here";
  const std::ptrdiff_t before = count_threads();
  const Network network = preset("cifar10_resnet20");
  const auto arithmetic = make_arithmetic(network, 4);
  pass(*arithmetic, network, RandomBatch(network, 4), initial_weights(network, 1));
  EXPECT_LE(count_threads(), before);
}

// Made on one thread and used on two others in turn, as an executor may do.
TEST(Arithmetic, MayMoveFromThreadToThread) {
  const Network network = preset("cifar10_resnet20");
  constexpr int kItems = 2;
  const std::vector<float> weights = initial_weights(network, 1);
  const auto arithmetic = make_arithmetic(network, kItems);
  const RandomBatch batch(network, kItems);
  const std::vector<float> expected = pass(*arithmetic, network, batch, weights);
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<float> gradient;
    std::jthread([&] { gradient = pass(*arithmetic, network, batch, weights); }).join();
    EXPECT_EQ(gradient, expected);
  }
}

TEST(Arithmetic, RefusesBatchesOfAnotherSize) {
  for (const char* name : {"mlp", "cifar10_resnet20"}) {
    const Network network = preset(name);
    const auto arithmetic = make_arithmetic(network, 3);
    const RandomBatch batch(network, 2);
    EXPECT_THROW(arithmetic->load(batch.inputs, batch.targets), std::invalid_argument);
  }
}

TEST(InitialWeights, AreThoseOfHe) {
  GraphSketch g({8, 6, 6});
  const int a = g.convolution(GraphSketch::kInput, 32, {3, 3});
  const Network network = g.classify(g.batch_norm(g.batch_norm(a), false), 10);
  const std::vector<float> weights = initial_weights(network, 1);
  EXPECT_EQ(initial_weights(network, 1), weights);
  EXPECT_NE(initial_weights(network, 2), weights);
  const std::vector<std::int64_t> offsets = network.parameter_offsets();
  const auto slice = [&](std::size_t layer, std::int64_t from, std::int64_t count) {
    const auto begin = weights.begin() + offsets[layer] + from;
    return std::vector<float>(begin, begin + count);
  };
  double squares = 0;
  const std::vector<float> kernel = slice(0, 0, 32 * 8 * 9);
  for (const float w : kernel) squares += static_cast<double>(w) * static_cast<double>(w);
  EXPECT_NEAR(squares / (32 * 8 * 9), 2.0 / (8 * 9), 0.1 * 2.0 / (8 * 9));
  EXPECT_THAT(slice(0, 32 * 8 * 9, 32), testing::Each(0.0f));  // biases
  EXPECT_THAT(slice(1, 0, 32), testing::Each(1.0f));           // scales
  EXPECT_THAT(slice(1, 32, 32), testing::Each(0.0f));          // shifts
  EXPECT_THAT(slice(2, 0, 32), testing::Each(0.0f));           // shifts alone
}

TEST(Untrainable, SaysNothingOfWhatTheProcessorTrains) {
  for (const char* name : {"softmax", "mlp", "lstm_imdb", "cifar10_resnet20", "cifar10_resnet110",
                           "cifar10_alexnet", "cifar10_densenet40_k12"}) {
    EXPECT_THAT(untrainable(preset(name), 32), StrEq("")) << name;
  }
}

TEST(Untrainable, SaysWhy) {
  EXPECT_THAT(untrainable(preset("resnet50"), 64),
              HasSubstr("too large for the CPU: 1.5e+12 FLOPs per mini-batch of 64 (at most "
                        "2e+11; "));
  GraphSketch large({1, 4, 1});
  EXPECT_THAT(
      untrainable(large.classify(large.embedding(GraphSketch::kInput, 1'000'000, 700), 2), 1),
      StrEq("too large for the CPU: 7e+08 parameters (at most 5e+08)"));
  GraphSketch g({4, 1, 1});
  g.simple(LayerKind::synthetic, GraphSketch::kInput);
  EXPECT_THAT(untrainable(g.classify(0, 2), 1),
              StrEq("layer 'layer0': a synthetic layer has no arithmetic"));
}

TEST(Arithmetic, RefusesTokensThatTheVocabularyDoesNotHave) {
  GraphSketch g({1, 2, 1});
  const Network network = g.classify(g.embedding(GraphSketch::kInput, 5, 3), 2);
  const auto arithmetic = make_arithmetic(network, 1);
  const std::vector<float> weights = initial_weights(network, 1), labels{0};
  for (const float id : {-1.0f, 5.0f, std::nanf("")}) {
    arithmetic->load(std::vector<float>{4, id}, labels);
    EXPECT_THROW(arithmetic->forward(0, weights), std::invalid_argument) << id;
  }
  arithmetic->load(std::vector<float>{4, 0}, labels);
  EXPECT_NO_THROW(arithmetic->forward(0, weights));
}

// Embeddings have variance 1, LSTM weights the variance of U(-1 / sqrt(64), 1 / sqrt(64)).
TEST(InitialWeights, OfSequencesHaveTheirVariances) {
  GraphSketch g({1, 4, 1});
  const Network network = g.classify(g.lstm(g.embedding(GraphSketch::kInput, 500, 32), 64), 2);
  const std::vector<float> weights = initial_weights(network, 1);
  const auto deviation = [&](std::size_t layer) {
    const auto begin = weights.begin() + network.parameter_offsets()[layer];
    double squares = 0;
    std::for_each(begin, begin + network.layers[layer].parameters,
                  [&](float w) { squares += static_cast<double>(w) * static_cast<double>(w); });
    return std::sqrt(squares / static_cast<double>(network.layers[layer].parameters));
  };
  EXPECT_NEAR(deviation(0), 1, 0.02);
  EXPECT_NEAR(deviation(1), 0.125 / std::sqrt(3.0), 0.002);
}

TEST(MakeArithmetic, NamesTheLayerThatItCannotCompute) {
  const auto complaint = [](const Network& network) -> std::string {
    try {
      make_arithmetic(network, 2);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  GraphSketch synthetic({4, 1, 1});
  synthetic.simple(LayerKind::synthetic, GraphSketch::kInput);
  EXPECT_THAT(complaint(synthetic.classify(0, 2)), HasSubstr("layer 'layer0'"));

  Network headless = perceptron();
  headless.layers.pop_back();
  EXPECT_THAT(complaint(headless), HasSubstr("the last layer must be a loss"));

  Network early = perceptron();
  early.layers[1].kind = LayerKind::squared_error;
  EXPECT_THAT(complaint(early), HasSubstr("layer 'layer1': a squared error is that of one output"));
  GraphSketch twice({4, 1, 1});
  twice.predict(GraphSketch::kInput);
  EXPECT_THAT(complaint(twice.predict(1)), HasSubstr("layer 'layer1': a loss comes last"));

  GraphSketch deep({1, 3, 1});
  const int lstm = deep.lstm(GraphSketch::kInput, 1);
  EXPECT_THAT(complaint(deep.classify(deep.embedding(lstm, 5, 2), 2)),
              HasSubstr("layer 'layer1': an embedding reads the network's input"));
  GraphSketch wide({2, 3, 4});
  EXPECT_THAT(complaint(wide.classify(wide.lstm(GraphSketch::kInput, 1), 2)),
              HasSubstr("layer 'layer0': a sequence has width 1"));

  Network unread = perceptron();
  unread.layers[2].inputs = {-1};
  unread.layers[2].in = unread.input;
  EXPECT_THAT(complaint(unread), HasSubstr("layer 'layer1': nothing reads it"));

  Network misshapen = perceptron();
  misshapen.layers[2].in.channels = 5;
  EXPECT_THAT(complaint(misshapen), HasSubstr("layer 'layer2': its input has another shape"));

  GraphSketch window({3, 8, 8});  // oneDNN itself refuses a window that does not fit its output
  window.convolution(GraphSketch::kInput, 4, {3, 3});
  Network torn = window.classify(0, 2);
  torn.layers[0].out.height = 3;
  torn.layers[1].in.height = 3;
  EXPECT_THAT(complaint(torn), HasSubstr("layer 'layer0': oneDNN"));
}

}  // namespace
}  // namespace paceline
