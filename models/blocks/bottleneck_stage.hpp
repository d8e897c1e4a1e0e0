// SPDX-License-Identifier: MIT
/// \file
/// A stage of bottleneck residual units (ResNet version 1).
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** `blocks` units of 1x1, 3x3 and 1x1 convolutions and a shortcut, added, then ReLU. The
/// first 1x1 convolution of the first unit has the stride. If the number of channels changes, the
/// shortcut is a 1x1 convolution; otherwise it is the identity. **Source** He et al. 2015
/// (1512.03385), figure 5 right.
struct BottleneckStage final : Block {
  int blocks = 1;
  int channels = 0;
  int inner = 0;
  int stride = 1;

  static void describe(Description<BottleneckStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
