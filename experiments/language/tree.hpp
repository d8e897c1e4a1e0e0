// SPDX-License-Identifier: MIT
/// \file
/// A parsed document as an untyped tree: scalars, lists and maps with their positions in the file.
/// Sweeps and `--set` work on trees; `description.hpp` reads trees into typed structs, and
/// `json.hpp` writes them as JSON.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/language/diagnostics.hpp"

namespace paceline {

struct Member;

/// One value of a document and its position.
struct Tree {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Location at;
  std::string text;             ///< of a scalar, as written
  bool quoted = false;          ///< a quoted scalar is text, never a number
  std::vector<Tree> items;      ///< of a list
  std::vector<Member> members;  ///< of a map, in the order written

  static Tree scalar(std::string text, Location at = {});
  /// A scalar that is text, also if it looks like a number.
  static Tree quoted_scalar(std::string text);
  static Tree list(std::vector<Tree> items, Location at = {});
  static Tree map(Location at = {});

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  /// The value of the member `key`, or null if the tree is not a map or has no such key.
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key);
  /// Sets a member, or appends it if it is new. An existing member keeps its position.
  void set(const std::string& key, Tree value);
};

/// One entry of a map.
struct Member {
  std::string key;
  Location key_at;
  Tree value;
};

/// One line of flow YAML, such as `{kind: k-sync, k: 50 %}`, as shown in the terminal and in CSV
/// files. The text parses back to the same tree: a scalar is quoted if it would otherwise read as
/// another type.
std::string to_flow(const Tree& tree);
/// `to_flow` quoted for a message and cut if long.
std::string quote(const Tree& tree);

/// A bare name becomes `{kind: name}`; any other tree is returned unchanged.
Tree as_variant(const Tree& tree);

/// The size of a tree: one for each value and one for every 32 bytes of text. Bounds the copies
/// that aliases and sweeps make.
std::size_t weight(const Tree& tree);

}  // namespace paceline
