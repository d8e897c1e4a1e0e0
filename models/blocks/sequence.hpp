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

  static void describe(Description<Lstm>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
