// SPDX-License-Identifier: MIT
// A network at another length is the network that its file describes at that length, but for a
// table of positions, which keeps its parameters.
#include "models/sequence_length.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"

namespace paceline {
namespace {

Network of(int height, const std::string& blocks) {
  return load_network(parse_yaml(
      "m.yaml", "{item: sequences, input: {channels: 1, height: " + std::to_string(height) +
                    "}, classes: 5, blocks: [" + blocks + "]}"));
}

class SequenceLengthTest : public testing::TestWithParam<std::string> {};

TEST_P(SequenceLengthTest, IsTheNetworkDescribedAtThatLength) {
  const Network whole = of(24, GetParam());
  ASSERT_EQ(why_of_one_length(whole), "");
  for (const int length : {1, 7, 23, 24}) {
    SCOPED_TRACE(length);
    const Network got = at_length(whole, length);
    const Network expected = of(length, GetParam());
    EXPECT_EQ(got.input, expected.input);
    ASSERT_EQ(got.layers.size(), expected.layers.size());
    for (std::size_t i = 0; i < got.layers.size(); ++i) {
      const Layer& a = got.layers[i];
      const Layer& b = expected.layers[i];
      SCOPED_TRACE(a.name);
      EXPECT_EQ(a.in, b.in);
      EXPECT_EQ(a.out, b.out);
      EXPECT_EQ(a.macs, b.macs);
      EXPECT_EQ(a.kernel_height, b.kernel_height);
      EXPECT_EQ(a.loop_operations, b.loop_operations);
      EXPECT_EQ(a.parameters, whole.layers[i].parameters);
    }
    EXPECT_EQ(got.parameters(), whole.parameters());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, SequenceLengthTest,
    testing::Values("{kind: embedding, vocabulary: 9, features: 8}, {kind: lstm, units: 4, layers: "
                    "2, loop: true}, global-average-pool, dropout, classifier",
                    "{kind: embedding, vocabulary: 9, features: 8}, position-embedding, {kind: "
                    "transformer, layers: 2, heads: 2, norm: before}, global-average-pool, "
                    "classifier",
                    "{kind: seq2seq, vocabulary: 9, units: 6, encoder: 2, decoder: 2}, {kind: "
                    "classifier, each: position}",
                    "{kind: embedding, vocabulary: 5, features: 8}, {kind: transformer, heads: 2, "
                    "causal: true}, {kind: classifier, each: position, tied: true}"));

TEST(OneLengthTest, IsOfNetworksThatNeedAllPositions) {
  EXPECT_EQ(why_of_one_length(load_network(Tree::scalar("resnet50"))),
            "it reads no sequences of tokens");
  EXPECT_EQ(why_of_one_length(of(6, "{kind: embedding, vocabulary: 9, features: 8}, classifier")),
            "its layer 'fc0' needs all 6 positions");
}

TEST(OneLengthTest, EverySequencePresetHasOther) {
  for (const char* name :
       {"lstm_imdb", "lstm_ptb_medium", "nmt_lstm", "transformer_small", "gpt2", "bert_base"}) {
    const Network network = load_network(Tree::scalar(name));
    EXPECT_EQ(why_of_one_length(network), "") << name;
    EXPECT_LT(at_length(network, least_length(network)).macs(), network.macs()) << name;
  }
}

}  // namespace
}  // namespace paceline
