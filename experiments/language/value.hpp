// SPDX-License-Identifier: MIT
/// \file
/// Conversion between YAML scalars and C++ values: one specialisation of `Value` per type.
/// Quantities are in unit_table.hpp, shares in share.hpp, lists and mappings in containers.hpp,
/// structs in description.hpp, families in family.hpp.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "experiments/language/tree.hpp"

namespace paceline {

struct KeyInfo;
struct VariantInfo;

/// The type of a key's value, for sweeps, the schema and the reference page.
struct TypeInfo {
  std::string name;                                    ///< "time", "integer", "list of text", ...
  std::vector<std::string> units;                      ///< the units allowed, for quantities
  std::vector<std::string> choices;                    ///< the names allowed, for enumerations
  std::function<std::vector<KeyInfo>()> fields;        ///< the keys, for mappings
  std::function<std::vector<VariantInfo>()> variants;  ///< the variants, for families (`kind:` or a
                                                       ///< bare name)
  std::string family;                                  ///< the family's name, for families
  bool list = false;                                   ///< the value itself is a list
  std::shared_ptr<const TypeInfo> element;  ///< the type of the items of a list, or of the values
                                            ///< of a mapping from names
  std::function<std::vector<KeyInfo>()> within;  ///< the keys of a value that is kept for a later
                                                 ///< reader; null: unknown
  bool changes = false;  ///< or a mapping with `of` (changed_document.hpp) and any of the keys
  std::string also;      ///< another allowed form, in words: "a path to a machine file"
};

/// To be specialised with `type()`, `read(out, tree, diagnostics)` (false after noting an error)
/// and `write(value)`.
template <class V>
struct Value;

/// The shortest decimal that reads back to the same double, without an exponent if that is
/// readable.
std::string print_number(double value);

/// Reads the decimal number at the start of a plain (unquoted) scalar; `rest` is the text after the
/// number, without leading blanks. Returns false if there is no number, or if its form is
/// ambiguous: `010`, `inf`, `+1`.
bool leading_number(const Tree& tree, double& value, std::string_view& rest);

/// " (reason)" if the text is a number in a form that is not accepted, such as `0x10` or a quoted
/// number; otherwise "".
std::string number_hint(const Tree& tree);

// A quoted scalar is text, so `"5"` is an error where a number is expected. So are `010`, `0x10`,
// `1_000`, `.inf` and `.nan`, on which YAML readers disagree. An integer consists of digits only.
template <>
struct Value<double> {
  static TypeInfo type();
  static bool read(double& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const double& value);
};
template <>
struct Value<int> {
  static TypeInfo type();
  static bool read(int& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const int& value);
};
template <>
struct Value<std::int64_t> {
  static TypeInfo type();
  static bool read(std::int64_t& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const std::int64_t& value);
};
template <>
struct Value<std::uint64_t> {
  static TypeInfo type();
  static bool read(std::uint64_t& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const std::uint64_t& value);
};
/// `true` or `false` only.
template <>
struct Value<bool> {
  static TypeInfo type();
  static bool read(bool& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const bool& value);
};
/// Non-empty text without control characters.
template <>
struct Value<std::string> {
  static TypeInfo type();
  static bool read(std::string& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const std::string& value);
};
/// Any value, kept unchanged for a later reader. `kCodecOfLater` (description.hpp) knows its keys.
template <>
struct Value<Tree> {
  static TypeInfo type();
  static bool read(Tree& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Tree& value);
};

/// One name of an enumeration that is read by name. Specialise `enum_names(const E*)` to return the
/// list of names and values.
template <class E>
struct EnumName {
  const char* name;
  E value;
};
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { enum_names(static_cast<const E*>(nullptr)); };

/// The names and values of an enumeration, in the order of its table.
template <NamedEnum E>
auto enum_rows() {
  return enum_names(static_cast<const E*>(nullptr));
}

/// `type_of_names` makes the type of an enumeration with these names. `index_of_name` returns the
/// index of the name in `tree`, or -1 after noting an error.
TypeInfo type_of_names(std::vector<std::string> names);
int index_of_name(const Tree& tree, const TypeInfo& type, Diagnostics& diagnostics);

template <NamedEnum E>
struct Value<E> {
  static TypeInfo type() {
    std::vector<std::string> names;
    for (const auto& row : enum_rows<E>()) names.emplace_back(row.name);
    return type_of_names(std::move(names));
  }
  static bool read(E& out, const Tree& tree, Diagnostics& diagnostics) {
    const int index = index_of_name(tree, type(), diagnostics);
    if (index >= 0) out = enum_rows<E>()[static_cast<std::size_t>(index)].value;
    return index >= 0;
  }
  static Tree write(const E& value) {
    for (const auto& row : enum_rows<E>()) {
      if (row.value == value) return Tree::scalar(row.name);
    }
    return {};
  }
};

}  // namespace paceline
