// SPDX-License-Identifier: MIT
/// \file
/// A convolution and what usually follows it.
#pragma once
#include <optional>

#include "experiments/containers.hpp"
#include "models/block.hpp"

namespace paceline {

/// **Does** convolution, batch norm, ReLU, as the keys say. A bias unless batch norm follows.
struct Convolution final : Block {
  int channels = 0;
  Kernel kernel;
  int stride = 1;
  Padding padding = Padding::same;
  std::optional<bool> bias;
  std::optional<BatchNorm> batch_norm;
  bool relu = true;

  static void describe(Description<Convolution>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
