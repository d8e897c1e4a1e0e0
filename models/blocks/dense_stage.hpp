// SPDX-License-Identifier: MIT
/// \file
/// A stage of densely connected units, as in DenseNets.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** `blocks` units: batch norm, ReLU and a 3x3 convolution to `growth` channels,
/// concatenated with the unit's input. With `inner`, batch norm, ReLU and a 1x1 convolution to
/// `inner` channels precede them. **Source** Huang et al. 2016 (1608.06993), section 3.
struct DenseStage final : Block {
  int blocks = 1;
  int growth = 0;
  int inner = 0;
  bool bias = false;

  static void describe(Description<DenseStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
