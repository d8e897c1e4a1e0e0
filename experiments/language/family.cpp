// SPDX-License-Identifier: MIT
#include "experiments/language/family.hpp"

#include <algorithm>

namespace paceline {

std::string name_of_variant(const std::string& what, const std::vector<std::string>& names,
                            const Tree& map, Diagnostics& diagnostics) {
  const Tree* kind = map.find("kind");
  const std::string allowed = with_article(what) + ": " + join(names);
  if (map.is_map() && kind == nullptr) {
    diagnostics.error(map.at, "missing key 'kind' (" + allowed + ")");
    return "";
  }
  if (kind == nullptr || !kind->is_scalar()) {
    const Tree& wrong = kind != nullptr ? *kind : map;
    diagnostics.error(wrong.at, "expected " + allowed + ", found " + quote(wrong));
    return "";
  }
  if (std::find(names.begin(), names.end(), kind->text) != names.end()) return kind->text;
  diagnostics.error(kind->at, unknown_name(what, kind->text, names));
  return "";
}

Tree named_variant(const Tree& tree, const std::string& what, const std::vector<std::string>& names,
                   std::span<const EmbeddedFile> presets) {
  const Tree* of = tree.find("of");
  const Tree& name = of != nullptr ? *of : tree;
  if (!name.is_scalar()) return of != nullptr ? load_changed(tree, what, presets) : tree;
  if (std::ranges::find(names, name.text) != names.end()) {  // a variant by its own name
    Tree variant = tree;
    for (Member& member : variant.members) {
      if (member.key == "of") member.key = "kind";
    }
    return variant;
  }
  const bool path = name.text.find('/') != std::string::npos || name.text.ends_with(".yaml");
  const bool preset = std::ranges::find(presets, name.text, &EmbeddedFile::name) != presets.end();
  return of != nullptr || path || preset ? load_changed(tree, what, presets) : tree;
}

Tree as_variant(const Tree& tree, const NumberForm& number) {
  double value = 0;
  std::string_view unit;
  if (number.kind.empty() || !tree.is_scalar() || !leading_number(tree, value, unit))
    return as_variant(tree);
  Tree map = Tree::map(tree.at);
  map.set("kind", Tree::scalar(number.kind));
  map.set(number.key, tree);
  return map;
}

Tree write_variant(const std::string& kind, const Tree& keys) {
  if (keys.members.empty()) return Tree::scalar(kind);
  Tree tree = Tree::map();
  tree.set("kind", Tree::scalar(kind));
  for (const Member& member : keys.members) tree.set(member.key, member.value);
  return tree;
}

}  // namespace paceline
