// SPDX-License-Identifier: MIT
/// \file
/// Blocks for sequences. T positions of C features are a tensor of C channels, height T and width
/// 1.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** a table look-up: one vector of features for each token id. Must be the first block,
/// since the token ids are the network's input.
struct Embedding final : Block {
  int vocabulary = 0;
  int features = 0;

  static void describe(Description<Embedding>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** a stack of unidirectional LSTM layers; each layer passes its outputs at all steps to
/// the next. The initial states are zero. A global average pool after the stack gives the mean over
/// time. **Source** Hochreiter & Schmidhuber, "Long short-term memory", Neural Computation 1997,
/// with the forget gate of Gers, Schmidhuber & Cummins 2000 and no peepholes, as in common
/// libraries.
struct Lstm final : Block {
  int units = 0;
  int layers = 1;
  bool loop = false;

  static void describe(Description<Lstm>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** an encoder of two stacks of LSTM layers (both go forward, where translation has one for
/// each direction: the cost is the same), and a decoder of as many LSTM layers as
/// it says, each with an embedding of its own; the encoder's outputs, in place of its last state,
/// are added to what the decoder reads. Source and target have one length. Must be the first block.
/// **Source** Sutskever, Vinyals & Le 2014 (1409.3215).
struct Seq2Seq final : Block {
  int vocabulary = 0;
  int units = 0;
  int encoder = 1;
  int decoder = 1;
  bool loop = false;

  static void describe(Description<Seq2Seq>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
