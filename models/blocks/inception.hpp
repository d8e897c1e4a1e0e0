// SPDX-License-Identifier: MIT
/// \file
/// Branches that read one input and are joined channel by channel.
#pragma once
#include <string>
#include <vector>

#include "experiments/containers.hpp"
#include "models/block.hpp"

namespace paceline {

/// What both kinds of branching share: `branches`, lists of blocks. An empty list is the input.
struct Branches : Block {
  std::vector<std::vector<PlacedBlock>> branches;

  /// Appends each branch from the same input; the ends of all of them stay open.
  void append_branches(NetworkBuilder& builder) const;
  std::string invalid() const;
};

/// **Does** its branches, then joins their channels in order.
/// **Source** Szegedy et al. 2015 (1512.00567), section 6.
struct Inception final : Branches {
  static void describe(Description<Inception>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** branches within a branch of an inception, which joins all ends at once. The last block
/// of a branch.
struct Fork final : Branches {
  static void describe(Description<Fork>& d);
  void append(NetworkBuilder& builder) const override { append_branches(builder); }
};
}  // namespace paceline
