// SPDX-License-Identifier: MIT
#include "models/memory.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"

namespace paceline {
namespace {

// 4 -> 8, ReLU, 8 -> 2, softmax. Parameters: 40 + 18 = 58. Kept per item: the input (4), the ReLU's
// output (8) and the softmax's output (2); ReLU overwrites the output of the first layer. The
// largest input + output of a layer is the ReLU's, 8 + 8.
TEST(MemoryTest, SmallNetworkByHand) {
  const Network mlp =
      load_network(parse_yaml("m.yaml", "{kind: mlp, inputs: 4, hidden: [8], classes: 2}"));
  const MemoryNeed need = memory_needed(mlp, 10, {});
  EXPECT_EQ(need.weights, Bytes{232});
  EXPECT_EQ(need.gradients, Bytes{232});
  EXPECT_EQ(need.optimizer, Bytes{232});
  EXPECT_EQ(need.activations, Bytes{10.0 * 4 * (4 + 8 + 2)});
  EXPECT_EQ(need.workspace, Bytes{10.0 * 4 * 2 * 16});
  EXPECT_EQ(need.total(), Bytes{3 * 232 + 560 + 1280});
}

// Most before the last product: the input (4), the ReLU's output (8) in the place of its input, and
// the product's output (2). Of a residual unit the sum's other operand waits.
TEST(MemoryTest, AForwardPassFreesWhatIsReadNoMore) {
  const Network mlp =
      load_network(parse_yaml("m.yaml", "{kind: mlp, inputs: 4, hidden: [8], classes: 2}"));
  EXPECT_EQ(forward_peak(mlp, Bytes{4}), Bytes{4.0 * (4 + 8 + 2)});
  EXPECT_EQ(forward_peak(mlp, Bytes{2}), Bytes{2.0 * (4 + 8 + 2)});
  const Network deep = load_network(
      parse_yaml("m.yaml", "{kind: mlp, inputs: 4, hidden: [8, 8, 8, 8, 8], classes: 2}"));
  EXPECT_EQ(forward_peak(deep, Bytes{4}), Bytes{4.0 * (4 + 8 + 8)});
  const Network resnet = load_network(Tree::scalar("cifar10_resnet20"));
  EXPECT_EQ(forward_peak(resnet, Bytes{1}), Bytes{3.0 * 32 * 32 + 3.0 * 16 * 32 * 32})
      << "the image, a unit's input, and the input and the output of a layer within it";
}

TEST(MemoryTest, EachLayerKeepsItsShare) {
  const Network mlp =
      load_network(parse_yaml("m.yaml", "{kind: mlp, inputs: 4, hidden: [8], classes: 2}"));
  const std::vector<Bytes> kept = kept_by_layer(mlp, Bytes{4});
  const std::vector<Bytes> by_hand{Bytes{16}, Bytes{32}, Bytes{0}, Bytes{8}};
  EXPECT_EQ(kept, by_hand) << "the input with the first layer, the ReLU's and the softmax's output";
}

TEST(MemoryTest, HalfPrecisionHalvesActivationsAndKeepsMasters) {
  const Network mlp =
      load_network(parse_yaml("m.yaml", "{kind: mlp, inputs: 4, hidden: [8], classes: 2}"));
  const MemoryNeed need = memory_needed(mlp, 10, {Bytes{2}, 2});
  EXPECT_EQ(need.weights, Bytes{58.0 * 6});
  EXPECT_EQ(need.gradients, Bytes{58.0 * 4});
  EXPECT_EQ(need.optimizer, Bytes{58.0 * 8});
  EXPECT_EQ(need.activations, Bytes{10.0 * 2 * 14});
}

// A dropout keeps its mask, one byte per element; its output is kept for the next layer.
TEST(MemoryTest, DropoutKeepsAMask) {
  const Network network = load_network(
      parse_yaml("m.yaml", "{input: {channels: 6}, classes: 2, blocks: [dropout, classifier]}"));
  EXPECT_EQ(memory_needed(network, 1, {}).activations, Bytes{6 + 4.0 * (6 + 2)});
}

// Kept per item: 5 token ids, the embedding's 5 x 3, the LSTM's 5 x 2 and four gates and a cell for
// each of those, the softmax's 2.
TEST(MemoryTest, AnLstmKeepsItsGatesAndCells) {
  const Network network = load_network(parse_yaml(
      "m.yaml",
      "{input: {channels: 1, height: 5}, classes: 2, blocks: [{kind: embedding, vocabulary: 7, "
      "features: 3}, {kind: lstm, units: 2}, global-average-pool, classifier]}"));
  EXPECT_EQ(memory_needed(network, 1, {}).activations,
            Bytes{4.0 * (5 + 5 * 3 + 5 * 2 * (1 + 5) + 2 + 2)});
}

// The published fp32 runs on a 16 GB P100 used 64 images per GPU.
TEST(MemoryTest, ResNet50OnSixteenGigabytes) {
  const Network network = load_network(Tree::scalar("resnet50"));
  const Bytes p100{16e9};
  EXPECT_LT(memory_needed(network, 64, {}).total(), p100);
  EXPECT_GT(memory_needed(network, 512, {}).total(), p100);
}

TEST(MemoryTest, AnExchangeMayNeedMoreOfThem) {
  const Network network = load_network(Tree::scalar("synthetic"));
  MemoryAssumptions ring;
  ring.exchange_parameters = 25'000'000;
  EXPECT_EQ(memory_needed(network, 1000, ring).exchange, Bytes{100e6});
  EXPECT_EQ(memory_needed(network, 1000, ring).total(), Bytes{400e6});
}

TEST(MemoryTest, SyntheticNeedsItsParametersOnly) {
  const Network network = load_network(Tree::scalar("synthetic"));
  EXPECT_EQ(memory_needed(network, 1000, {}).total(), Bytes{300e6});
}

}  // namespace
}  // namespace paceline
