// SPDX-License-Identifier: MIT
/// \file
/// A convolution with optional batch norm and ReLU.
#pragma once
#include <optional>

#include "experiments/language/containers.hpp"
#include "models/block.hpp"

namespace paceline {

/// **Does** convolution, batch norm, ReLU, as the keys say. By default the convolution has a bias
/// only if no batch norm follows.
struct Convolution final : Block {
  int channels = 0;
  KernelSize kernel;
  int stride = 1;
  Padding padding = Padding::same;
  std::optional<bool> bias;
  std::optional<BatchNorm> batch_norm;
  bool relu = true;

  static void describe(Description<Convolution>& d);
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
