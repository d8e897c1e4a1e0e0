// SPDX-License-Identifier: MIT
/// \file
/// A stage of basic residual units without weights in the shortcut, as CIFAR-10 has them.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** `blocks` units of two 3x3 convolutions beside a shortcut, added, then ReLU. The first
/// convolution of the first unit carries the stride; there the shortcut takes every stride-th
/// pixel and gains channels of zeros (option A). **Source** He et al. 2015 (1512.03385), 4.2.
struct BasicStage final : Block {
  int blocks = 1;
  int channels = 0;
  int stride = 1;

  static void describe(Description<BasicStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
