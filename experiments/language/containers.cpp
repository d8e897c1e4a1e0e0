// SPDX-License-Identifier: MIT
#include "experiments/language/containers.hpp"

namespace paceline {

bool is_list_of(const TypeInfo& expected, const Tree& tree, Diagnostics& diagnostics) {
  if (tree.is_list()) return true;
  diagnostics.error(tree.at, "expected a " + expected.name + " (such as [a, b]), found " +
                                 (tree.is_map() ? "a mapping" : quote(tree)));
  return false;
}

bool is_mapping_of(const TypeInfo& expected, const Tree& tree, Diagnostics& diagnostics) {
  if (tree.is_map()) return true;
  diagnostics.error(tree.at, "expected a " + expected.name + ", found " +
                                 (tree.is_list() ? "a list" : quote(tree)));
  return false;
}

bool is_present(const Tree& item, Diagnostics& diagnostics) {
  if (item.kind != Tree::Kind::null) return true;
  diagnostics.error(item.at, "an item of the list has no value");
  return false;
}

bool is_present(const Member& member, Diagnostics& diagnostics) {
  if (member.value.kind != Tree::Kind::null) return true;
  diagnostics.error(member.value.at, quote(member.key) + " has no value");
  return false;
}

}  // namespace paceline
