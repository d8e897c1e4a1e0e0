// SPDX-License-Identifier: MIT
/// \file
/// Normalisation and ReLU as separate blocks.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** batch norm over each channel, then a ReLU.
struct BatchNormBlock final : Block {
  bool scale = true;
  bool relu = true;

  static void describe(Description<BatchNormBlock>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** y = x / (1 + alpha / size * sum of x^2)^beta, with the sum over a window of `size`
/// channels. **Source** Krizhevsky et al. 2012, section 3.3.
struct LocalResponseNorm final : Block {
  int size = 5;
  double alpha = 1e-4;
  double beta = 0.75;

  static void describe(Description<LocalResponseNorm>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** max(x, 0).
struct Relu final : Block {
  static void describe(Description<Relu>&) {}
  void append(NetworkBuilder& builder) const override { builder.relu(); }
};
}  // namespace paceline
