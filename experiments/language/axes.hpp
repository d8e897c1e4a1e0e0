// SPDX-License-Identifier: MIT
/// \file
/// Finds the axes of a document: the lists that stand for several values of one key. sweep.cpp, the
/// only user, multiplies the axes out into points.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/value.hpp"

namespace paceline {

/// The path from a tree's root to a node: at each level, the position among the items of a list or
/// the members of a map.
using Steps = std::vector<std::size_t>;

/// One axis: a swept list, or `zip`.
struct Axis {
  std::string path;
  Steps steps;
  const Tree* node = nullptr;    ///< the swept list, or the rows of `zip`
  std::optional<TypeInfo> type;  ///< the type of the axis's choices, if known
  bool zip = false;
};

/// The type of the axis's choices, or null if it is unknown.
const TypeInfo* known_type(const Axis& axis);

/// The node at the end of `steps`. Requires that the path exists.
Tree& node_at(Tree& root, const Steps& steps);

/// The axes of `node` in the order of the file. Lists inside the choices of an axis are not
/// reported. `type` gives the keys that take lists; with a null `type`, every list is an axis.
/// `zip` is an axis only at the top of a document, that is with `whole_document`. Notes an error
/// for each empty sweep and each bad row of `zip`.
std::vector<Axis> find_axes(const Tree& node, const TypeInfo* type, bool whole_document,
                            Diagnostics& diagnostics);

}  // namespace paceline
