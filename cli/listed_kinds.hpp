// SPDX-License-Identifier: MIT
/// \file
/// Lists everything that an experiment file can name, by kind: models, machines, policies, units,
/// ...
#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/fact_sheet.hpp"

namespace paceline {

struct ListedThing {
  std::string name;
  std::string help;  ///< one line
};

struct ListedKind {
  const char* name;  ///< "models": the argument of `paceline list models`
  const char* one;   ///< "model"
  std::vector<ListedThing> (*things)();
  /// The sheet of one item of the kind.
  FactSheet (*sheet)(const ListedThing& thing);
};

/// The kinds, in the order in which they are shown.
std::span<const ListedKind> listed_kinds();

}  // namespace paceline
