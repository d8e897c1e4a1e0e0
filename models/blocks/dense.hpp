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

/// An item as a whole, or each of its positions.
enum class Classified : std::uint8_t { item, position };
std::span<const EnumName<Classified>> enum_names(const Classified*);

/// **Does** a fully connected layer to the network's classes, then softmax and cross-entropy: of an
/// item, or of each position of a sequence with the same weights. Tied weights are the table of the
/// embedding; its tokens are the classes. **Source** of tied weights: Press & Wolf 2017
/// (1608.05859).
struct Classifier final : Block {
  Classified each = Classified::item;
  bool tied = false;

  static void describe(Description<Classifier>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
