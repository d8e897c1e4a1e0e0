// SPDX-License-Identifier: MIT
/// \file
/// Reads and writes containers of values: lists, optional values, and mappings from names or
/// numbers.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/language/value.hpp"

namespace paceline {

/// True if the tree is a list (a mapping); otherwise notes an error that names the `expected` type.
bool is_list_of(const TypeInfo& expected, const Tree& tree, Diagnostics& diagnostics);
bool is_mapping_of(const TypeInfo& expected, const Tree& tree, Diagnostics& diagnostics);
/// True if an item of a list, or a member of a mapping, has a value; otherwise notes an error.
bool is_present(const Tree& item, Diagnostics& diagnostics);
bool is_present(const Member& member, Diagnostics& diagnostics);

template <class V>
struct Value<std::vector<V>> {
  static TypeInfo type() {
    const TypeInfo element = Value<V>::type();
    TypeInfo info = element;
    info.name = "list of " + element.name;
    info.list = true;
    info.element = std::make_shared<const TypeInfo>(element);
    return info;
  }
  static bool read(std::vector<V>& out, const Tree& tree, Diagnostics& diagnostics) {
    if (!is_list_of(type(), tree, diagnostics)) return false;
    std::vector<V> values;
    values.reserve(tree.items.size());
    bool good = true;
    for (const Tree& item : tree.items) {
      V value{};
      good = is_present(item, diagnostics) && Value<V>::read(value, item, diagnostics) && good;
      values.push_back(std::move(value));
    }
    if (good) out = std::move(values);
    return good;
  }
  static Tree write(const std::vector<V>& values) {
    std::vector<Tree> items;
    items.reserve(values.size());
    for (const V& value : values) items.push_back(Value<V>::write(value));
    return Tree::list(std::move(items));
  }
};

template <class V>
struct Value<std::optional<V>> {
  static TypeInfo type() { return Value<V>::type(); }
  static bool read(std::optional<V>& out, const Tree& tree, Diagnostics& diagnostics) {
    V value{};
    if (!Value<V>::read(value, tree, diagnostics)) return false;
    out = std::move(value);
    return true;
  }
  static Tree write(const std::optional<V>& value) {
    return value ? Value<V>::write(*value) : Tree{};
  }
};

/// A mapping from names or numbers to values: `{3: {slowdown: 1.15}}`.
template <class K, class V>
struct Value<std::map<K, V>> {
  static TypeInfo type() {
    const TypeInfo element = Value<V>::type();
    TypeInfo info;
    info.name = "mapping of " + Value<K>::type().name + " to " + element.name;
    info.fields = element.fields;
    info.element = std::make_shared<const TypeInfo>(element);
    return info;
  }
  static bool read(std::map<K, V>& out, const Tree& tree, Diagnostics& diagnostics) {
    if (!is_mapping_of(type(), tree, diagnostics)) return false;
    std::map<K, V> values;
    bool good = true;
    for (const Member& member : tree.members) {
      K key{};
      V value{};
      good = Value<K>::read(key, Tree::scalar(member.key, member.key_at), diagnostics) && good;
      good = is_present(member, diagnostics) && Value<V>::read(value, member.value, diagnostics) &&
             good;
      values.emplace(std::move(key), std::move(value));
    }
    if (good) out = std::move(values);
    return good;
  }
  static Tree write(const std::map<K, V>& values) {
    Tree tree = Tree::map();
    for (const auto& [key, value] : values) {
      tree.set(to_flow(Value<K>::write(key)), Value<V>::write(value));
    }
    return values.empty() ? Tree{} : tree;
  }
};

}  // namespace paceline
