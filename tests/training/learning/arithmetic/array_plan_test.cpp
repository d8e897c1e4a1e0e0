// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/onednn/array_plan.hpp"

#include <set>

#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/training/learning/arithmetic/graph_sketch.hpp"
#include "training/learning/losses/loss.hpp"

namespace paceline {
namespace {

using Kind = LayerKind;

/// Simulates backward on the plan and tracks the owner of each array. Every layer must find the
/// complete gradient of its output, even if arrays were reused in between.
void expect_sound(const Network& network, const ArrayPlan& plan) {
  std::vector<std::set<std::size_t>> holds(
      plan.gradient_sizes.size());  // readers that have written
  std::vector<int> maker(plan.gradient_sizes.size(), -1);
  for (std::size_t i = network.layers.size(); i-- > 0;) {
    const Layer& layer = network.layers[i];
    if (!is_loss(layer.kind)) {
      const auto own = static_cast<std::size_t>(plan.steps[i].gradient);
      ASSERT_EQ(maker[own], static_cast<int>(i)) << layer.name;
      std::set<std::size_t> readers;
      for (std::size_t j = 0; j < network.layers.size(); ++j) {
        for (const int input : network.layers[j].inputs) {
          if (input == static_cast<int>(i)) readers.insert(j);
        }
      }
      EXPECT_EQ(holds[own], readers) << layer.name;
    }
    for (std::size_t k = 0; k < layer.inputs.size(); ++k) {
      const int tensor = layer.inputs[k];
      const ArrayPlan::Input& input = plan.steps[i].inputs[k];
      if (tensor < 0) continue;
      const auto array = static_cast<std::size_t>(input.gradient);
      EXPECT_GE(plan.gradient_sizes[array],
                network.layers[static_cast<std::size_t>(tensor)].out.elements());
      if (!input.adds) {
        EXPECT_EQ(input.landing, input.gradient);
        maker[array] = tensor;
        holds[array] = {i};
      } else {
        EXPECT_EQ(maker[array], tensor) << layer.name << " adds to another tensor's gradient";
        holds[array].insert(i);
        if (input.landing == input.gradient) continue;
        maker[static_cast<std::size_t>(input.landing)] = -1;  // what was there is gone
      }
    }
  }
}

/// Simulates a forward pass and tracks the tensor in each array: every layer must find its inputs.
void expect_sound_forward(const Network& network, const ArrayPlan& plan) {
  std::vector<int> holds(plan.value_sizes.size(), -2);
  holds[0] = -1;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    for (std::size_t k = 0; k < layer.inputs.size(); ++k) {
      EXPECT_EQ(holds[static_cast<std::size_t>(plan.steps[i].inputs[k].value)], layer.inputs[k])
          << layer.name;
    }
    if (is_loss(layer.kind)) continue;
    const auto own = static_cast<std::size_t>(plan.steps[i].value);
    EXPECT_GE(plan.value_sizes[own], layer.out.elements());
    for (const ArrayPlan::Input& input : plan.steps[i].inputs) {
      const bool in_place = input.value == plan.steps[i].value;
      EXPECT_TRUE(!in_place || layer.kind == Kind::activation) << layer.name;
    }
    holds[own] = static_cast<int>(i);
  }
}

TEST(ArrayPlan, ForwardAloneReusesValuesOfEveryPreset) {
  for (const std::string& name : network_names()) {
    const Network network = load_network(Tree::scalar(name));
    if (!is_loss(network.layers.back().kind)) continue;
    SCOPED_TRACE(name);
    std::vector<ArrayUse> uses;
    for (const Layer& layer : network.layers) {
      uses.push_back({.overwrites = layer.kind == Kind::activation});
    }
    const ArrayPlan plan = plan_forward_arrays(network, uses);
    expect_sound_forward(network, plan);
    EXPECT_TRUE(plan.gradient_sizes.empty());
    if (network.layers.size() > 20) {
      EXPECT_LT(plan.value_sizes.size(), network.layers.size() / 2);
    }
  }
}

TEST(ArrayPlan, IsSoundForEveryPreset) {
  for (const std::string& name : network_names()) {
    const Network network = load_network(Tree::scalar(name));
    if (!is_loss(network.layers.back().kind)) continue;
    SCOPED_TRACE(name);
    expect_sound(network, plan_arrays(network));
  }
}

// Layers that add to gradients themselves and do nothing in place.
TEST(ArrayPlan, IsSoundWithoutLandings) {
  for (const std::string& name : network_names()) {
    const Network network = load_network(Tree::scalar(name));
    if (!is_loss(network.layers.back().kind)) continue;
    SCOPED_TRACE(name);
    const std::vector<ArrayUse> uses(network.layers.size());
    const ArrayPlan plan = plan_arrays(network, uses);
    expect_sound(network, plan);
    EXPECT_EQ(plan.value_sizes.size(), network.layers.size());  // the input, and all but the loss
    for (const ArrayPlan::Step& step : plan.steps) {
      for (const ArrayPlan::Input& input : step.inputs) {
        EXPECT_EQ(input.landing, input.gradient);
        EXPECT_TRUE(step.gradient == ArrayPlan::kNone || input.gradient != step.gradient);
      }
    }
  }
}

// conv -> ReLU shares the convolution's array. One gradient array serves those that ReLU and
// softmax pass down, another the opposite side of the fully connected layer.
TEST(ArrayPlan, LetsAnActivationOverwrite) {
  GraphSketch g({2, 4, 4});
  const int a = g.convolution(GraphSketch::kInput, 3, {});
  const int b = g.simple(Kind::activation, a);
  const Network network = g.classify(b, 2);
  const ArrayPlan plan = plan_arrays(network);
  EXPECT_EQ(plan.steps[1].value, plan.steps[0].value);
  EXPECT_EQ(plan.steps[1].gradient, plan.steps[0].gradient);
  EXPECT_EQ(plan.value_sizes.size(), 3u);  // inputs, activations, logits
  EXPECT_EQ(plan.gradient_sizes.size(), 2u);
}

// The add also reads the convolution's output, so ReLU must not overwrite it; and the add must not
// overwrite ReLU's output, which ReLU's backward reads.
TEST(ArrayPlan, LetsNoLayerOverwriteWhatIsReadAgain) {
  GraphSketch g({2, 4, 4});
  const int a = g.convolution(GraphSketch::kInput, 3, {});
  const int b = g.simple(Kind::activation, a);
  const int c = g.add({a, b});
  const ArrayPlan plan = plan_arrays(g.classify(c, 2));
  const std::set<int> values{plan.steps[0].value, plan.steps[1].value, plan.steps[2].value};
  EXPECT_EQ(values.size(), 3u);
}

// Dropout may overwrite a value that ReLU's backward reads, because it changes no sign; an add
// after it may not. A value that an LSTM's backward reads must not be overwritten.
TEST(ArrayPlan, LetsDropoutOverwriteAnActivationAndNothingAnLstm) {
  GraphSketch g({2, 4, 1});
  const int a = g.convolution(GraphSketch::kInput, 3, {1, 1});
  const int b = g.simple(Kind::dropout, g.simple(Kind::activation, a));
  const int c = g.lstm(g.add({b, b}), 3);
  const int d = g.simple(Kind::dropout, c);
  const ArrayPlan plan = plan_arrays(g.classify(g.add({d, b}), 2));
  EXPECT_EQ(plan.steps[2].value, plan.steps[0].value);
  EXPECT_NE(plan.steps[3].value, plan.steps[2].value);
  EXPECT_NE(plan.steps[5].value, plan.steps[4].value);
  EXPECT_EQ(plan.steps[6].value, plan.steps[5].value) << "the add writes over the dropout";
}

TEST(ArrayPlan, LetsNothingButDropoutOverwriteADroppedActivation) {
  GraphSketch g({3, 1, 1});
  const int a = g.simple(Kind::activation, g.fully_connected(GraphSketch::kInput, 3));
  const int b = g.simple(Kind::dropout, g.simple(Kind::dropout, a));
  const ArrayPlan plan = plan_arrays(g.classify(g.add({b, GraphSketch::kInput}), 2));
  EXPECT_EQ(plan.steps[3].value, plan.steps[1].value);
  EXPECT_NE(plan.steps[4].value, plan.steps[3].value);
}

// A deep network needs no more gradient arrays than a shallow one of the same shapes: the space of
// its six largest tensors.
TEST(ArrayPlan, LendsGradientArraysAgain) {
  const ArrayPlan shallow = plan_arrays(load_network(Tree::scalar("cifar10_resnet20")));
  const ArrayPlan deep = plan_arrays(load_network(Tree::scalar("cifar10_resnet110")));
  EXPECT_EQ(deep.gradient_sizes, shallow.gradient_sizes);
  std::int64_t space = 0;
  for (const std::int64_t size : deep.gradient_sizes) space += size;
  EXPECT_LE(space, 6 * 16 * 32 * 32);
}

}  // namespace
}  // namespace paceline
