// SPDX-License-Identifier: MIT
#include "experiments/language/key_table.hpp"

#include <algorithm>

namespace paceline {
namespace {

void* at(void* object, std::size_t offset) {
  return static_cast<std::byte*>(object) + offset;
}
const void* at(const void* object, std::size_t offset) {
  return static_cast<const std::byte*>(object) + offset;
}

/// Notes an error for every key of `map` that is neither `known` nor `skip`.
void check_unknown_keys(const Tree& map, std::vector<std::string> known, std::string_view skip,
                        Diagnostics& diagnostics) {
  if (!skip.empty()) known.insert(known.begin(), std::string(skip));
  for (const Member& member : map.members) {
    if (diagnostics.full()) return;  // suggestions take time and would be dropped
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    diagnostics.error(member.key_at, unknown_name("key", member.key, known));
  }
}

}  // namespace

void KeyTable::add(const char* name, const char* help, bool required, std::size_t offset,
                   const Codec& codec, const void* blank) {
  KeyInfo info{name, help, required, "", "", codec.type()};
  if (!required) info.fallback = to_flow(codec.write(at(blank, offset)));
  keys_.push_back({std::move(info), offset, &codec, {}});
}

void KeyTable::bound_last(Bound bound) {
  Key& key = keys_.back();
  key.info.bounds += (key.info.bounds.empty() ? "" : ", ") + bound.text;
  key.bounds.push_back(std::move(bound));
}

std::vector<std::string> KeyTable::names() const {
  std::vector<std::string> all;
  all.reserve(keys_.size());
  for (const Key& key : keys_) all.push_back(key.info.name);
  return all;
}

std::vector<KeyInfo> KeyTable::infos() const {
  std::vector<KeyInfo> all;
  all.reserve(keys_.size());
  for (const Key& key : keys_) all.push_back(key.info);
  return all;
}

bool KeyTable::read(void* object, const Tree& tree, Diagnostics& diagnostics,
                    std::string_view skip) const {
  if (!tree.is_map()) {
    diagnostics.error(tree.at, "expected a mapping (keys: " + join(names()) + "), found " +
                                   (tree.is_list() ? "a list" : quote(tree)));
    return false;
  }
  const std::size_t before = diagnostics.count();
  for (const Key& key : keys_) {
    const Tree* value = tree.find(key.info.name);
    if (value == nullptr) {
      if (key.info.required) diagnostics.error(tree.at, "missing key '" + key.info.name + "'");
      continue;
    }
    if (value->kind == Tree::Kind::null) {
      diagnostics.error(value->at, "'" + key.info.name + "' has no value");
      continue;
    }
    void* member = at(object, key.offset);
    if (!key.codec->read(member, *value, diagnostics)) continue;
    const auto broken = std::find_if(key.bounds.begin(), key.bounds.end(),
                                     [&](const Bound& bound) { return !bound.allows(member); });
    if (broken != key.bounds.end()) {
      diagnostics.error(value->at, "'" + key.info.name + "' must be " + broken->text);
    }
  }
  check_unknown_keys(tree, names(), skip, diagnostics);
  return diagnostics.count() == before;
}

Tree KeyTable::write(const void* object) const {
  Tree tree = Tree::map();
  for (const Key& key : keys_) {
    Tree value = key.codec->write(at(object, key.offset));
    if (value.kind != Tree::Kind::null) tree.set(key.info.name, std::move(value));
  }
  return tree;
}

}  // namespace paceline
