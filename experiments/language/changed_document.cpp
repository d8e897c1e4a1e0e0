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

}  // namespace

Tree load_changed(const Tree& value, std::string_view what, std::span<const EmbeddedFile> presets) {
  if (!value.is_map()) return load_preset_or_path(value, what, presets);
  const Tree* of = value.find("of");
  if (of == nullptr) return value;
  Tree document = of->is_map() ? *of : load_preset_or_path(*of, what, presets);
  for (const Member& member : value.members) {
    if (member.key != "of") change(document, member);
  }
  return document;
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
