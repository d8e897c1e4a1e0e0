// SPDX-License-Identifier: MIT
/// \file
/// What reads sequences: T positions of C features are C channels of height T and width 1.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** a look-up: token ids, one a position, to vectors of features. The first block, as token
/// ids are what the network reads.
struct Embedding final : Block {
  int vocabulary = 0;
  int features = 0;

  static void describe(Description<Embedding>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** LSTM layers one after another, each giving its output at every step to the next. One
/// direction, from states of zero. A global average pool after it is the mean over time.
/// **Source** Hochreiter & Schmidhuber, "Long short-term memory", Neural Computation 1997, with the
/// forget gate of Gers, Schmidhuber & Cummins 2000 and no peepholes, as libraries have it.
struct Lstm final : Block {
  int units = 0;
  int layers = 1;

  static void describe(Description<Lstm>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
