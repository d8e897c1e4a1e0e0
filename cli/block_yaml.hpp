// SPDX-License-Identifier: MIT
/// \file
/// Writes a tree as a YAML file for people: one key per line, lists of mappings with a dash per
/// item.
#pragma once
#include <string>

#include "experiments/language/tree.hpp"

namespace paceline {

/// `tree`, a mapping, as block YAML that parses back to the same tree.
std::string block_yaml(const Tree& tree);

}  // namespace paceline
