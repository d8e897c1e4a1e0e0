// SPDX-License-Identifier: MIT
/// \file
/// One description of a struct's keys, from which everything comes: reading a YAML map into it,
/// writing it back, the JSON schema, the reference page and "did you mean".
///
///     struct Link {
///       BytesPerSecond bandwidth; Seconds latency;
///       static void describe(Description<Link>& d) {
///         d.required("bandwidth", &Link::bandwidth, "capacity in each
///         direction").above(BytesPerSecond{0}); d.optional("latency", &Link::latency, "time a
///         message takes on top").at_least(Seconds{0});
///       }
///     };
///     Link link = read<Link>(tree, diagnostics);
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/containers.hpp"
#include "experiments/share.hpp"
#include "experiments/unit_table.hpp"
#include "experiments/value.hpp"

namespace paceline {

/// What is known of one key without knowing its struct.
struct KeyInfo {
  std::string name;
  std::string help;
  bool required = false;
  std::string fallback;  ///< the default as YAML, "" when required or when absence has a meaning
  std::string bounds;    ///< "> 0 s", "0 to 1", or ""
  TypeInfo type;
};

template <class T>
class Description;

/// A struct whose keys are described by its own `static void describe(Description<T>&)`.
template <class T>
concept Described = requires(Description<T>& d) { T::describe(d); };

/// Adds bounds to the key that was just described.
template <class T, class V>
class KeyRow {
 public:
  KeyRow(KeyInfo& info, std::vector<std::function<std::string(const T&)>>& checks, V T::*member)
      : info_(info), checks_(checks), member_(member) {}
  KeyRow& above(V low) {
    return bound("> ", low, [](const V& v, const V& l) { return v > l; });
  }
  KeyRow& at_least(V low) {
    return bound(">= ", low, [](const V& v, const V& l) { return v >= l; });
  }
  KeyRow& at_most(V high) {
    return bound("<= ", high, [](const V& v, const V& h) { return v <= h; });
  }
  KeyRow& below(V high) {
    return bound("< ", high, [](const V& v, const V& h) { return v < h; });
  }

 private:
  template <class Holds>
  KeyRow& bound(const char* sign, V limit, Holds holds) {
    const std::string text = sign + to_flow(Value<V>::write(limit));
    info_.bounds += (info_.bounds.empty() ? "" : ", ") + text;
    checks_.push_back([member = member_, limit, holds, text, name = info_.name](const T& object) {
      if (holds(object.*member, limit)) return std::string();
      return "'" + name + "' must be " + text;
    });
    return *this;
  }

  KeyInfo& info_;
  std::vector<std::function<std::string(const T&)>>& checks_;
  V T::*member_;
};

/// The keys of `T`, collected by `T::describe`.
template <class T>
class Description {
 public:
  /// A key that must be there.
  template <class V>
  KeyRow<T, V> required(const std::string& name, V T::*member, const std::string& help) {
    return add(name, member, help, true);
  }
  /// A key whose default is the member's initial value.
  template <class V>
  KeyRow<T, V> optional(const std::string& name, V T::*member, const std::string& help) {
    return add(name, member, help, false);
  }

  struct Row {
    KeyInfo info;
    std::function<bool(T&, const Tree&, Diagnostics&)> read;  ///< false: an error was noted
    std::function<Tree(const T&)> write;
    std::vector<std::function<std::string(const T&)>> checks;  ///< "" or what is wrong
  };
  const std::vector<std::unique_ptr<Row>>& rows() const { return rows_; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(rows_.size());
    for (const auto& row : rows_) all.push_back(row->info.name);
    return all;
  }

 private:
  template <class V>
  KeyRow<T, V> add(const std::string& name, V T::*member, const std::string& help, bool required) {
    auto row = std::make_unique<Row>();
    row->info = {name, help, required, "", "", Value<V>::type()};
    if (!required) row->info.fallback = to_flow(Value<V>::write(T{}.*member));
    row->read = [member](T& object, const Tree& tree, Diagnostics& diagnostics) {
      return Value<V>::read(object.*member, tree, diagnostics);
    };
    row->write = [member](const T& object) { return Value<V>::write(object.*member); };
    rows_.push_back(std::move(row));
    return KeyRow<T, V>(rows_.back()->info, rows_.back()->checks, member);
  }

  std::vector<std::unique_ptr<Row>> rows_;
};

/// The description of `T`, made once.
template <Described T>
const Description<T>& description_of() {
  static const Description<T> description = [] {
    Description<T> d;
    T::describe(d);
    return d;
  }();
  return description;
}

/// Notes every key of a map that is not described. `skip` as in `read_keys`.
void check_unknown_keys(const Tree& map, std::vector<std::string> known, std::string_view skip,
                        Diagnostics& diagnostics);

/// Reads the described keys of a map into `object`; errors go to `diagnostics`: a missing key at
/// the map's own place, a wrong one at its value. `skip` names one key that the caller has read
/// already
/// (`kind`). Returns whether all went well.
template <Described T>
bool read_keys(T& object, const Tree& tree, Diagnostics& diagnostics, std::string_view skip = "") {
  const Description<T>& description = description_of<T>();
  if (!tree.is_map()) {
    diagnostics.error(tree.at, "expected a mapping (keys: " + join(description.names()) +
                                   "), found " + (tree.is_list() ? "a list" : quote(tree)));
    return false;
  }
  const std::size_t before = diagnostics.count();
  for (const auto& row : description.rows()) {
    const Tree* value = tree.find(row->info.name);
    if (value == nullptr) {
      if (row->info.required) diagnostics.error(tree.at, "missing key '" + row->info.name + "'");
      continue;
    }
    if (value->kind == Tree::Kind::null) {
      diagnostics.error(value->at, "'" + row->info.name + "' has no value");
      continue;
    }
    if (!row->read(object, *value, diagnostics)) continue;
    for (const auto& check : row->checks) {
      if (const std::string wrong = check(object); !wrong.empty()) {
        diagnostics.error(value->at, wrong);
        break;
      }
    }
  }
  check_unknown_keys(tree, description.names(), skip, diagnostics);
  return diagnostics.count() == before;
}

/// Reads a described struct from a map.
template <Described T>
T read(const Tree& tree, Diagnostics& diagnostics) {
  T object{};
  read_keys(object, tree, diagnostics);
  return object;
}

/// Writes every key of a described struct into a map.
template <Described T>
Tree write_keys(const T& object) {
  Tree tree = Tree::map();
  for (const auto& row : description_of<T>().rows()) {
    Tree value = row->write(object);
    if (value.kind != Tree::Kind::null) tree.set(row->info.name, std::move(value));
  }
  return tree;
}

/// What is known of the keys of `T`, for the schema and the reference page.
template <Described T>
std::vector<KeyInfo> keys_of() {
  std::vector<KeyInfo> keys;
  for (const auto& row : description_of<T>().rows()) keys.push_back(row->info);
  return keys;
}

/// A described struct is itself a value, so structs nest.
template <Described T>
struct Value<T> {
  static TypeInfo type() {
    TypeInfo info;
    info.name = "mapping";
    info.fields = [] { return keys_of<T>(); };
    return info;
  }
  static bool read(T& out, const Tree& tree, Diagnostics& diagnostics) {
    T object{};
    if (!read_keys(object, tree, diagnostics)) return false;
    out = std::move(object);
    return true;
  }
  static Tree write(const T& value) { return write_keys(value); }
};

}  // namespace paceline
