// SPDX-License-Identifier: MIT
/// \file
/// A sequence of blocks, repeated.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/containers.hpp"
#include "models/block.hpp"

namespace paceline {

/// **Does** its blocks in order, `times` times.
struct Repeat final : Block {
  int times = 1;
  std::vector<PlacedBlock> blocks;

  static void describe(Description<Repeat>& d);
  std::string invalid() const;
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
