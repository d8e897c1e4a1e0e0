// SPDX-License-Identifier: MIT
#include "experiments/language/changed_document.hpp"

#include <algorithm>
#include <filesystem>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

void change(Tree& document, const Member& member) {
  if (member.value.kind == Tree::Kind::null) {
    std::erase_if(document.members, [&](const Member& one) { return one.key == member.key; });
    return;
  }
  Tree* known = document.find(member.key);
  const bool same_kind = member.value.find("kind") == nullptr;  // a variant replaces the whole
  if (known == nullptr || !known->is_map() || !member.value.is_map() || !same_kind) {
    std::erase_if(document.members, [&](const Member& one) { return one.key == member.key; });
    document.members.push_back(member);
    return;
  }
  for (const Member& inner : member.value.members) change(*known, inner);
}

constexpr int kDeepest = 16;

struct Loader {
  std::string_view what;
  std::span<const EmbeddedFile> presets;
  bool (*changes)(const Tree& value);

  Tree load(const Tree& value, int depth) const {
    Tree tree = value.is_map() ? value : load_preset_or_path(value, what, presets);
    if (!changes(tree)) return tree;
    if (depth == kDeepest)
      throw SpecError(tree.at, "'of' names the " + std::string(what) + " itself");
    Tree document = load(*tree.find("of"), depth + 1);
    for (const Member& member : tree.members) {
      if (member.key != "of") change(document, member);
    }
    return document;
  }
};

}  // namespace

bool has_of(const Tree& value) {
  return value.find("of") != nullptr;
}

Tree load_changed(const Tree& value, std::string_view what, std::span<const EmbeddedFile> presets,
                  bool (*changes)(const Tree& value)) {
  return Loader{what, presets, changes}.load(value, 0);
}

std::string name_of_changed(const Tree& value) {
  const Tree* of = value.find("of");
  std::string name = of->is_map() ? "own" : std::filesystem::path(of->text).stem().string();
  std::vector<std::string> changed;
  for (const Member& member : value.members) {
    if (member.key != "of") changed.push_back(member.key);
  }
  return changed.empty() ? name : name + " with " + join(changed);
}

}  // namespace paceline
