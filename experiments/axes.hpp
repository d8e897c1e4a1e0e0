// SPDX-License-Identifier: MIT
/// \file
/// The axes of a document: the places where a list stands for several values. Used by sweep.cpp,
/// which multiplies them out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/value.hpp"

namespace paceline {

/// The steps from a tree's root to a node: positions among items or members.
using Steps = std::vector<std::size_t>;

/// A swept list, or `zip`.
struct Axis {
  std::string path;
  Steps steps;
  const Tree* node = nullptr;    ///< the swept list, or the rows of `zip`
  std::optional<TypeInfo> type;  ///< of a choice, where known
  bool zip = false;
};

/// The type of an axis's choices, or null where it is not known.
const TypeInfo* known_type(const Axis& axis);

/// The node that `steps` lead to.
Tree& node_at(Tree& root, const Steps& steps);

/// The axes of `node` in the order of the file; axes inside the choices of an axis are not among
/// them. `type` says which keys take lists, null that none does. `zip` is looked for where `node`
/// is the `whole_document`. Notes empty sweeps and bad rows.
std::vector<Axis> find_axes(const Tree& node, const TypeInfo* type, bool whole_document,
                            Diagnostics& diagnostics);

}  // namespace paceline
