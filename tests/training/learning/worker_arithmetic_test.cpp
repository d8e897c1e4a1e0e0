// SPDX-License-Identifier: MIT
// A worker's dropout depends on its mini-batch alone. The items are always the same, so losses
// differ only by the draws.
#include "training/learning/worker_arithmetic.hpp"

#include <gtest/gtest.h>

#include "tests/training/learning/arithmetic/graph_sketch.hpp"
#include "training/learning/evaluator.hpp"

namespace paceline {
namespace {

/// A dataset with the same items in every draw.
struct Fixed final : Dataset {
  void draw(const Shape&, int, std::uint64_t, int, std::int64_t, std::span<float> inputs,
            std::span<float> targets) const override {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<float>(i % 3);
  }
};

Network with_dropout(double rate) {
  GraphSketch g({20, 1, 1});
  return g.classify(g.dropout(GraphSketch::kInput, rate), 3);
}

double loss_of(const Network& network, std::uint64_t seed, WorkId work) {
  constexpr int kItems = 8;
  const Fixed dataset;
  WorkerArithmetic arithmetic(network, kItems, dataset, seed);
  const std::vector<float> weights = initial_weights(network, 1);
  std::vector<float> gradient(weights.size());
  LayerRange all;
  all.pass = Pass::forward;
  all.first = 0;
  all.last = static_cast<std::int32_t>(network.layers.size());
  arithmetic.compute(all, work, weights, gradient, [] { return false; });
  return arithmetic.last_loss();
}

WorkId work(int worker, std::int64_t step) {
  WorkId id;
  id.worker = worker;
  id.step = step;
  return id;
}

TEST(WorkerArithmetic, DropsAnewForEachSeedWorkerAndStep) {
  const Network network = with_dropout(0.5);
  const double first = loss_of(network, 1, work(2, 3));
  EXPECT_EQ(loss_of(network, 1, work(2, 3)), first);
  EXPECT_NE(loss_of(network, 2, work(2, 3)), first);
  EXPECT_NE(loss_of(network, 1, work(1, 3)), first);
  EXPECT_NE(loss_of(network, 1, work(2, 4)), first);
}

// Validation between forward and backward uses arrays of its own.
TEST(WorkerArithmetic, AValidationPassChangesNoGradient) {
  const Network network = with_dropout(0.5);
  const Fixed dataset;
  const std::vector<float> weights = initial_weights(network, 1);
  const auto last = static_cast<std::int32_t>(network.layers.size());
  const auto never = [] { return false; };
  const auto gradient_of = [&](bool validates) {
    WorkerArithmetic arithmetic(network, 8, dataset, 1);
    arithmetic.validate_on(5);
    std::vector<float> gradient(weights.size());
    arithmetic.compute({Pass::forward, 0, last}, work(0, 1), weights, gradient, never);
    const double loss = arithmetic.last_loss();
    int layers = 0;
    const auto count = [&layers] { return ++layers < 0; };
    if (validates) arithmetic.validate({Pass::validation, 0, last}, 0, 7, weights, count);
    EXPECT_EQ(layers, validates ? last : 0) << "each layer is computed";
    EXPECT_EQ(arithmetic.last_loss(), loss);
    arithmetic.compute({Pass::backward, 0, last}, work(0, 1), weights, gradient, never);
    return gradient;
  };
  EXPECT_EQ(gradient_of(true), gradient_of(false));
}

TEST(WorkerArithmetic, EvaluationsDropNothing) {
  const Network half = with_dropout(0.5), none = with_dropout(0);
  const Fixed dataset;
  const std::vector<float> weights = initial_weights(half, 1);
  const double loss = Evaluator(half, dataset, 1, 8).evaluate(weights).loss;
  EXPECT_EQ(Evaluator(none, dataset, 1, 8).evaluate(weights).loss, loss);
  EXPECT_EQ(loss_of(none, 1, work(0, 0)), loss);
  EXPECT_NE(loss_of(half, 1, work(0, 0)), loss);
}

}  // namespace
}  // namespace paceline
