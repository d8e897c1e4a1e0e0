// SPDX-License-Identifier: MIT
/// \file
/// Blocks that come several times.
#pragma once
#include <string>
#include <vector>

#include "experiments/containers.hpp"
#include "models/block.hpp"

namespace paceline {

/// **Does** its blocks one after another, `times` over.
struct Repeat final : Block {
  int times = 1;
  std::vector<PlacedBlock> blocks;

  static void describe(Description<Repeat>& d);
  std::string invalid() const;
  void append(NetworkBuilder& builder) const override;
};
}  // namespace paceline
