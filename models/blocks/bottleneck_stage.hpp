// SPDX-License-Identifier: MIT
/// \file
/// A stage of bottleneck residual units (ResNet versions 1 and 1.5).
#pragma once
#include <span>

#include "models/block.hpp"

namespace paceline {

/// The convolution of a unit that has its stride.
enum class StrideOn { point, square };
std::span<const EnumName<StrideOn>> enum_names(const StrideOn*);

/// **Does** `blocks` units of 1x1, 3x3 and 1x1 convolutions and a shortcut, added, then ReLU. The
/// first unit has the stride: in its first 1x1 convolution (version 1) or in its 3x3 one (1.5). If
/// the number of channels changes, the shortcut is a 1x1 convolution; otherwise it is the identity.
/// **Source** He et al. 2015 (1512.03385), figure 5 right.
struct BottleneckStage final : Block {
  int blocks = 1;
  int channels = 0;
  int inner = 0;
  int stride = 1;
  StrideOn stride_on = StrideOn::point;

  static void describe(Description<BottleneckStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
