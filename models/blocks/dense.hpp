// SPDX-License-Identifier: MIT
/// \file
/// Fully connected layers, dropout, and the classifier at the end of a network.
#pragma once
#include "experiments/language/share.hpp"
#include "models/block.hpp"

namespace paceline {

/// **Does** a fully connected layer, then a ReLU.
struct FullyConnected final : Block {
  int units = 0;
  bool bias = true;
  bool relu = true;

  static void describe(Description<FullyConnected>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** dropout: during training, sets a random fraction of the elements to zero.
struct Dropout final : Block {
  Percent rate{0.5};

  static void describe(Description<Dropout>& d);
  void append(NetworkBuilder& builder) const override { builder.dropout(rate.fraction); }
};

/// **Does** a fully connected layer to the network's classes, then softmax and cross-entropy.
struct Classifier final : Block {
  static void describe(Description<Classifier>&) {}
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
