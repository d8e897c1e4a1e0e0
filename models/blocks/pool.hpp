// SPDX-License-Identifier: MIT
/// \file
/// Max and average pooling.
#pragma once
#include "models/block.hpp"

namespace paceline {

/// **Does** one pooling layer. An average excludes the padding.
struct Pool : Block {
  KernelSize kernel{2, 2};
  int stride = 2;
  Padding padding = Padding::valid;
};

struct MaxPool final : Pool {
  static void describe(Description<MaxPool>& d);
  void append(NetworkBuilder& builder) const override;
};

struct AveragePool final : Pool {
  static void describe(Description<AveragePool>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** the mean of each channel.
struct GlobalAveragePool final : Block {
  static void describe(Description<GlobalAveragePool>&) {}
  void append(NetworkBuilder& builder) const override { builder.global_average_pool(); }
};
}  // namespace paceline
