// SPDX-License-Identifier: MIT
/// \file
/// A document as a generic tree: scalars, lists and maps with their places. Sweeps and `--set` work
/// on trees, before anything has a type; `description.hpp` turns trees into typed structs.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/diagnostics.hpp"

namespace paceline {

struct Member;

/// One value of a document and where it stands.
struct Tree {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Location at;
  std::string text;             ///< of a scalar, as written
  bool quoted = false;          ///< a quoted scalar is text, never a number
  std::vector<Tree> items;      ///< of a list
  std::vector<Member> members;  ///< of a map, in the order written

  static Tree scalar(std::string text, Location at = {});
  static Tree list(std::vector<Tree> items, Location at = {});
  static Tree map(Location at = {});

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  /// The member's value, or null when a map has no such key.
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key);
  /// Sets or appends a member; keeps the place of one that exists.
  void set(const std::string& key, Tree value);
};

/// One entry of a map.
struct Member {
  std::string key;
  Location key_at;
  Tree value;
};

/// Compact JSON with keys in their order; scalars that read as numbers or booleans are bare.
std::string to_json(const Tree& tree, int indent = -1);
/// One line of flow YAML: `{kind: k-sync, k: 50 %}`; what the terminal and CSV show of a value.
/// Reads back as the same tree: a scalar is quoted where it would otherwise read as something else.
std::string to_flow(const Tree& tree);
/// `to_flow` as a message shows it: in single quotes, cut when long.
std::string quote(const Tree& tree);

/// A bare name stands for `{kind: name}`; anything else is returned as it is.
Tree as_variant(const Tree& tree);

/// The room a tree takes: one for each value and one for every 32 bytes of text. What bounds the
/// copies that aliases and sweeps make.
std::size_t weight(const Tree& tree);

}  // namespace paceline
