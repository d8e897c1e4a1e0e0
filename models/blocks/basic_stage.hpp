// SPDX-License-Identifier: MIT
/// \file
/// A stage of basic residual units: with shortcuts without parameters, as in the CIFAR-10 ResNets,
/// or with convolutions, as in ResNet-18 and ResNet-34.
#pragma once
#include <span>

#include "models/block.hpp"

namespace paceline {

/// The shortcut of a unit that changes the shape.
enum class Shortcut {
  zeros,        ///< subsamples, and pads the channels with zeros (option A)
  convolution,  ///< a 1x1 convolution with batch norm (option B)
};
std::span<const EnumName<Shortcut>> enum_names(const Shortcut*);

/// **Does** `blocks` units of two 3x3 convolutions and a shortcut, added, then ReLU. The first
/// convolution of the first unit has the stride, and so has its shortcut. **Source** He et al. 2015
/// (1512.03385), 3.3 and 4.2.
struct BasicStage final : Block {
  int blocks = 1;
  int channels = 0;
  int stride = 1;
  Shortcut shortcut = Shortcut::zeros;

  static void describe(Description<BasicStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
