// SPDX-License-Identifier: MIT
/// \file
/// A network described as a list of blocks.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/containers.hpp"
#include "models/block.hpp"
#include "models/network_kind.hpp"

namespace paceline {

/// **Does** the blocks in order, from `input` to the classifier, which must be last.
struct Layered final : NetworkKind {
  std::string item = "images";
  std::string source;
  Shape input;
  int classes = 0;
  BatchNorm batch_norm = BatchNorm::none;
  std::vector<PlacedBlock> blocks;

  static void describe(Description<Layered>& d);
  std::string invalid() const;
  Network make(const Location& at, Diagnostics& diagnostics) const override;
};
}  // namespace paceline
