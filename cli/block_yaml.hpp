// SPDX-License-Identifier: MIT
/// \file
/// A tree as a YAML file for people: a key a line, lists of mappings with a dash each.
#pragma once
#include <string>

#include "experiments/tree.hpp"

namespace paceline {

/// `tree`, a mapping, as block YAML that reads back as the same tree.
std::string block_yaml(const Tree& tree);

}  // namespace paceline
