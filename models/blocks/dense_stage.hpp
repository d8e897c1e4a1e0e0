// SPDX-License-Identifier: MIT
/// \file
/// A stage of densely connected units, as DenseNets have them.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** `blocks` units: batch norm, ReLU, 3x3 convolution to `growth` channels, joined to the
/// unit's input. With `inner`, a 1x1 convolution, batch norm and ReLU come before the 3x3.
/// **Source** Huang et al. 2016 (1608.06993), section 3.
struct DenseStage final : Block {
  int blocks = 1;
  int growth = 0;
  int inner = 0;
  bool bias = false;

  static void describe(Description<DenseStage>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
