// SPDX-License-Identifier: MIT
#include "models/blocks/sequence.hpp"

#include "models/limits.hpp"

namespace paceline {
namespace {

constexpr const char* kLoopHelp =
    "the host starts each step's operations in a loop, as TensorFlow's dynamic_rnn does (default: "
    "a "
    "layer is launched as a whole, as cuDNN's)";

}  // namespace

void Embedding::describe(Description<Embedding>& d) {
  d.required("vocabulary", &Embedding::vocabulary, "number of distinct tokens")
      .at_least(2)
      .at_most(kMostVocabulary);
  d.required("features", &Embedding::features, "elements of a token's vector")
      .at_least(1)
      .at_most(kMostChannels);
}

void Embedding::append(NetworkBuilder& builder) const {
  builder.embedding(vocabulary, features);
}

void Lstm::describe(Description<Lstm>& d) {
  d.required("units", &Lstm::units, "features of the output, and cells")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("layers", &Lstm::layers, "number of stacked layers").at_least(1).at_most(kMostRepeats);
  d.optional("loop", &Lstm::loop, kLoopHelp);
}

void Lstm::append(NetworkBuilder& builder) const {
  for (int i = 0; i < layers && !builder.failed(); ++i) builder.lstm(units, loop);
}

void Seq2Seq::describe(Description<Seq2Seq>& d) {
  d.required("vocabulary", &Seq2Seq::vocabulary, "number of distinct tokens of each language")
      .at_least(2)
      .at_most(kMostVocabulary);
  d.required("units", &Seq2Seq::units, "features of a token, and of each LSTM layer")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("encoder", &Seq2Seq::encoder,
             "LSTM layers in each of two stacks, which stand for two directions")
      .at_least(1)
      .at_most(kMostRepeats);
  d.optional("decoder", &Seq2Seq::decoder, "LSTM layers").at_least(1).at_most(kMostRepeats);
  d.optional("loop", &Seq2Seq::loop, kLoopHelp);
}

void Seq2Seq::append(NetworkBuilder& builder) const {
  const std::vector<int> tokens = builder.open();
  const auto stack = [&](int layers) {
    for (int i = 0; i < layers && !builder.failed(); ++i) builder.lstm(units, loop);
    return builder.open();
  };
  builder.embedding(vocabulary, units);
  if (builder.failed()) return;
  const std::vector<int> source = builder.open();
  const std::vector<int> there = stack(encoder);
  builder.go_on_from(source);
  stack(encoder);
  if (!builder.failed()) builder.add(there.front());
  const std::vector<int> encoded = builder.open();
  builder.go_on_from(tokens);
  builder.embedding(vocabulary, units);
  if (!builder.failed()) builder.add(encoded.front());
  stack(decoder);
}
}  // namespace paceline
