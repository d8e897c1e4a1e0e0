// SPDX-License-Identifier: MIT
/// \file
/// A stage of basic residual units with parameter-free shortcuts, as in the CIFAR-10 ResNets.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** `blocks` units of two 3x3 convolutions and a shortcut, added, then ReLU. The first
/// convolution of the first unit has the stride; its shortcut subsamples with the same stride and
/// pads the channels with zeros (option A). **Source** He et al. 2015 (1512.03385), 4.2.
struct BasicStage final : Block {
  int blocks = 1;
  int channels = 0;
  int stride = 1;

  static void describe(Description<BasicStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
