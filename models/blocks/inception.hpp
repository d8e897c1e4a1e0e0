// SPDX-License-Identifier: MIT
/// \file
/// Branches that read the same input; their outputs are concatenated by channel.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/containers.hpp"
#include "models/block.hpp"

namespace paceline {

/// The key of both kinds of branching: `branches`, lists of blocks. An empty list is the identity.
struct Branches : Block {
  std::vector<std::vector<PlacedBlock>> branches;

  /// Appends each branch after the same input. Afterwards the last layers of all branches are open.
  void append_branches(NetworkBuilder& builder) const;
  std::string invalid() const;
};

/// **Does** its branches, then concatenates their channels in order. **Source** Szegedy et al. 2015
/// (1512.00567), section 6.
struct Inception final : Branches {
  static void describe(Description<Inception>& d);
  void append(NetworkBuilder& builder) const override;
};

/// **Does** branches within a branch of an inception; the inception concatenates all ends. Must be
/// the last block of a branch.
struct Fork final : Branches {
  static void describe(Description<Fork>& d);
  void append(NetworkBuilder& builder) const override { append_branches(builder); }
};
}  // namespace paceline
