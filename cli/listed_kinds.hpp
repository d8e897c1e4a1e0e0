// SPDX-License-Identifier: MIT
/// \file
/// All that an experiment file can name, kind by kind: models, machines, policies, units, ...
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
  const char* name;  ///< "models", as `paceline list models` takes it
  const char* one;   ///< "model"
  std::vector<ListedThing> (*things)();
  /// What is known of one of them.
  FactSheet (*sheet)(const ListedThing& thing);
};

/// In the order in which they are shown.
std::span<const ListedKind> listed_kinds();

}  // namespace paceline
