// SPDX-License-Identifier: MIT
// The forms of `model:`, and the error messages: file:line:column, the problem, the allowed values.
#include "models/load_network.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

Network load(const std::string& text) {
  return load_network(parse_yaml("m.yaml", text));
}

std::string error_of(const std::string& text) {
  try {
    load(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

/// The error of a network with `block` on line 4.
std::string error_of_block(const std::string& block) {
  return error_of("input: {channels: 3, height: 8, width: 8}\nclasses: 10\nblocks:\n  - " + block +
                  "\n  - classifier\n");
}

// Regression: the block was read as a convolution with a wrong key.
TEST(LoadNetworkTest, AKindOfBlockIsNoKey) {
  EXPECT_EQ(error_of_block("embedding: {vocabulary: 100, features: 8}"),
            "m.yaml:4:5: error: 'embedding' is a kind of block, not a key (write {kind: embedding, "
            "...})");
}

TEST(LoadNetworkTest, SyntheticSplitsTimeAndGradient) {
  const Network network = load("{kind: synthetic, compute: 9 ms, gradient: 40 B, tensors: 3}");
  EXPECT_EQ(network.name, "synthetic");
  EXPECT_EQ(network.item, "samples");
  EXPECT_EQ(network.classes, 0);
  ASSERT_EQ(network.layers.size(), 3u);
  EXPECT_EQ(network.parameters(), 10);
  EXPECT_EQ(network.layers[0].parameters, 4) << "the first take what is left over";
  EXPECT_EQ(network.layers[2].parameters, 3);
  for (const Layer& layer : network.layers) {
    EXPECT_NEAR(layer.synthetic_forward.value(), 1e-3, 1e-15);
    EXPECT_NEAR(layer.synthetic_backward.value(), 2e-3, 1e-15);
  }
}

TEST(LoadNetworkTest, GradientHasAParameter) {
  EXPECT_THAT(error_of("{kind: synthetic, compute: 0 s, gradient: 0 B}"),
              HasSubstr("'gradient' must be >= 4 B"));
  EXPECT_THAT(error_of("{kind: synthetic, gradient: 4 B, tensors: 2}"),
              HasSubstr("'gradient' has fewer parameters than 'tensors'"));
}

TEST(LoadNetworkTest, BareKindsAndPresetsAgree) {
  EXPECT_EQ(load("softmax").parameters(), load("{kind: softmax}").parameters());
  EXPECT_EQ(load("{kind: mlp, inputs: 2, hidden: [3], classes: 4}").parameters(), 9 + 16);
  EXPECT_EQ(load("{kind: mlp, inputs: 2, hidden: [], classes: 4}").parameters(), 12);
}

TEST(LoadNetworkTest, AModelMayBeAnotherWithSomeKeysChanged) {
  const Network small =
      load("{of: {of: alexnet, classes: 11}, input: {channels: 1, height: 227, width: 227}}");
  const Network alexnet = load("alexnet");
  EXPECT_EQ(small.name, "own with input");
  EXPECT_EQ(load("{of: alexnet, classes: 10}").name, "alexnet with classes");
  EXPECT_EQ(small.classes, 11);
  EXPECT_EQ(small.input.channels, 1);
  EXPECT_EQ(small.layers.size(), alexnet.layers.size());
  EXPECT_EQ(load("{of: alexnet}").parameters(), alexnet.parameters());
  EXPECT_THAT(error_of("{of: alexnet, clases: 10}"),
              HasSubstr("m.yaml:1:15: error: unknown key 'clases' (did you mean 'classes'?"));
  EXPECT_THAT(error_of("{of: alexnot, classes: 10}"),
              HasSubstr("m.yaml:1:6: error: unknown model 'alexnot'"));
}

TEST(LoadNetworkTest, LinearRegressionIsOneWeightedSum) {
  const Network network = load("{kind: linear, inputs: 5}");
  EXPECT_EQ(network.parameters(), 6);
  EXPECT_EQ(network.classes, 1);
  ASSERT_EQ(network.layers.size(), 2u);
  EXPECT_EQ(network.layers[0].kind, LayerKind::fully_connected);
  EXPECT_EQ(network.layers[1].kind, LayerKind::squared_error);
  EXPECT_EQ(network.layers[1].name, "squared_error");
  EXPECT_EQ(load("{kind: linear, inputs: 5, bias: false}").parameters(), 5);
  EXPECT_THAT(error_of("{kind: linear, inputs: 0}"), HasSubstr("'inputs' must be >= 1"));
}

TEST(LoadNetworkTest, PathIsRelativeToTheFileThatNamesIt) {
  Location at;
  at.file = std::make_shared<const std::string>(PACELINE_SOURCE_DIR "/tests/models/here.yaml");
  at.line = at.column = 1;
  EXPECT_EQ(load_network(Tree::scalar("../../models/vgg16.yaml", at)).parameters(), 138361641);
  EXPECT_EQ(load_network(Tree::scalar("../../models/vgg16.yaml", at)).name, "vgg16");
}

TEST(LoadNetworkTest, UnknownNames) {
  EXPECT_THAT(error_of("resnet5"),
              HasSubstr("m.yaml:1:1: error: unknown model 'resnet5' (did you mean 'resnet50' or "
                        "'resnet50_v15'?"));
  EXPECT_THAT(error_of("{kind: sintetic}"), HasSubstr("did you mean 'synthetic'?"));
  EXPECT_THAT(error_of("[softmax]"), HasSubstr("expected a model"));
  EXPECT_THAT(error_of("{compute: 1 ms}"), HasSubstr("missing key 'kind'"));
  EXPECT_THAT(error_of_block("max-pol"), HasSubstr("m.yaml:4:5: error: unknown block 'max-pol'"));
  EXPECT_THAT(error_of_block("{chanels: 3}"), HasSubstr("did you mean 'channels'?"));
}

TEST(LoadNetworkTest, KeysOutOfBounds) {
  EXPECT_THAT(error_of("{kind: synthetic, compute: 10}"), HasSubstr("m.yaml:1:28: error: "));
  EXPECT_THAT(error_of("{kind: synthetic, tensors: 0}"), HasSubstr("'tensors' must be >= 1"));
  EXPECT_THAT(error_of("{kind: synthetic, gradient: 4 B, tensors: 2}"),
              HasSubstr("'gradient' has fewer parameters than 'tensors'"));
  EXPECT_THAT(error_of("{kind: mlp, hidden: [3, 0]}"), HasSubstr("'hidden' must be >= 1"));
  EXPECT_THAT(error_of("{kind: softmax, classes: 1}"), HasSubstr("'classes' must be >= 2"));
  EXPECT_THAT(error_of_block("{channels: 3, kernel: 1x0}"), HasSubstr("is not a window"));
  EXPECT_THAT(error_of_block("{kind: dropout, rate: 100 %}"), HasSubstr("'rate' must be < 100 %"));
}

TEST(LoadNetworkTest, GeometryThatCannotBe) {
  EXPECT_THAT(error_of_block("{channels: 3, kernel: 9, padding: valid}"),
              HasSubstr("m.yaml:4:5: error: a window of 9x9 does not fit its input 3x8x8"));
  EXPECT_THAT(error_of_block("{kind: basic-stage, blocks: 1, channels: 4}"),
              HasSubstr("3 channels cannot be padded to 4"));
  EXPECT_THAT(error_of_block("{kind: inception, branches: [[max-pool], [{channels: 2}]]}"),
              HasSubstr("m.yaml:4:5: error: cannot join 2x8x8 and 3x4x4"));
  EXPECT_THAT(error_of_block("{kind: fork, branches: [[], []]}"),
              HasSubstr("a 'fork' must be the last block of a branch"));
  EXPECT_THAT(error_of_block("{kind: inception, branches: [[]]}"), HasSubstr("at least 2 lists"));
  EXPECT_THAT(error_of("{input: {channels: 1}, classes: 2, blocks: [max-pool]}"),
              HasSubstr("the last of 'blocks' must be 'classifier'"));
}

TEST(LoadNetworkTest, LstmsFollowOneAnother) {
  const Network network = load(
      "{input: {channels: 3, height: 7}, classes: 2, "
      "blocks: [{kind: lstm, units: 5, layers: 2}, classifier]}");
  ASSERT_EQ(network.layers.size(), 4u);
  EXPECT_EQ(network.layers[0].in, (Shape{3, 7, 1}));
  EXPECT_EQ(network.layers[0].parameters, 4 * 5 * (3 + 5 + 1));
  EXPECT_EQ(network.layers[1].in, (Shape{5, 7, 1}));
  EXPECT_EQ(network.layers[1].parameters, 4 * 5 * (5 + 5 + 1));
  EXPECT_EQ(network.layers[1].name, "lstm1");
  EXPECT_EQ(network.layers[2].in.elements(), 35) << "without a mean, every step's output counts";
}

TEST(LoadNetworkTest, SequencesThatCannotBe) {
  const auto after = [](const std::string& input, const std::string& blocks) {
    return error_of("{input: " + input + ", classes: 2, blocks: [" + blocks + ", classifier]}");
  };
  const std::string table = "{kind: embedding, vocabulary: 9, features: 4}";
  EXPECT_THAT(after("{channels: 3, height: 8, width: 8}", "{kind: lstm, units: 4}"),
              HasSubstr("an LSTM reads a sequence, of width 1"));
  EXPECT_THAT(after("{channels: 3, height: 8}", table),
              HasSubstr("an embedding reads the network's input, token ids of 1 channel"));
  EXPECT_THAT(after("{channels: 1, height: 8}", "activation, " + table),
              HasSubstr("an embedding reads the network's input"));
  EXPECT_THAT(after("{channels: 1}", "{kind: embedding, vocabulary: 1, features: 4}"),
              HasSubstr("'vocabulary' must be >= 2"));
  EXPECT_THAT(after("{channels: 1}", "{kind: embedding, vocabulary: 16777216, features: 1000000}"),
              HasSubstr("the table is too large"));
  EXPECT_THAT(after("{channels: 1, height: 100000}", "{kind: lstm, units: 1000000}"),
              HasSubstr("an LSTM of this size is too large"));
}

// Sizes that would exhaust memory or overflow a count are errors, detected at once.
TEST(LoadNetworkTest, NetworksThatAreTooLarge) {
  EXPECT_THAT(error_of_block("{kind: repeat, times: 1000, blocks: [{kind: repeat, times: 1000, "
                             "blocks: [{channels: 1}]}]}"),
              HasSubstr("more than 20000 layers"));
  EXPECT_THAT(error_of_block("{channels: 10000000, kernel: 9999}"), HasSubstr("too large"));
  EXPECT_THAT(error_of("{input: {channels: 9999999, height: 99999, width: 99999}, classes: 2, "
                       "blocks: [classifier]}"),
              HasSubstr("too large"));
}

TEST(LoadNetworkTest, AllErrorsAtOnce) {
  const std::string errors = error_of("kind: mlp\ninputs: 0\nclases: 3\n");
  EXPECT_THAT(errors, HasSubstr("m.yaml:2:9: error: 'inputs' must be >= 1"));
  EXPECT_THAT(errors, HasSubstr("m.yaml:3:1: error: unknown key 'clases'"));
}

TEST(LoadNetworkTest, ForksJoinInTheirInception) {
  const Network network = load(
      "input: {channels: 3, height: 8, width: 8}\nclasses: 2\nblocks:\n"
      "  - kind: inception\n    branches:\n"
      "      - [{channels: 4}, {kind: fork, branches: [[{channels: 5}], [{channels: 6}]]}]\n"
      "      - []\n"
      "  - classifier\n");
  const auto concat = std::find_if(network.layers.begin(), network.layers.end(),
                                   [](const Layer& l) { return l.kind == LayerKind::concat; });
  ASSERT_NE(concat, network.layers.end());
  EXPECT_EQ(concat->out.channels, 5 + 6 + 3);
  EXPECT_THAT(concat->inputs, testing::ElementsAre(3, 5, -1));
}

}  // namespace
}  // namespace paceline
