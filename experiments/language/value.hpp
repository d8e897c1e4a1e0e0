// SPDX-License-Identifier: MIT
/// \file
/// How a scalar becomes a C++ value and back: one specialisation of `Value` per type. Quantities
/// are in unit_table.hpp, shares in share.hpp, lists and mappings in containers.hpp, structs in
/// description.hpp, families in family.hpp.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "experiments/tree.hpp"

namespace paceline {

struct KeyInfo;
struct VariantInfo;

/// What kind of value a key takes, for sweeps, the schema and the reference page.
struct TypeInfo {
  std::string name;                                    ///< "time", "integer", "list of text", ...
  std::vector<std::string> units;                      ///< the units allowed, for quantities
  std::vector<std::string> choices;                    ///< the names allowed, for enumerations
  std::function<std::vector<KeyInfo>()> fields;        ///< of a mapping
  std::function<std::vector<VariantInfo>()> variants;  ///< of a family: `kind:` or a bare name
  std::string family;                                  ///< what a family is called
  bool list = false;                                   ///< the value itself is a list
  std::shared_ptr<const TypeInfo> element;  ///< of a list, or of a mapping from names: its values
  std::string also;  ///< what else may stand there, in words: "a path to a machine file"
};

/// Specialise: `type()`, `read(out, tree, diagnostics)` (false after noting an error),
/// `write(value)`.
template <class V>
struct Value;

/// Shortest decimal that reads back to the same double, without an exponent where that is readable.
std::string print_number(double value);

/// Reads a leading decimal number of a plain (not quoted) scalar; `rest` is what follows it,
/// without leading blanks. False when there is none, or when it is none a reader should guess at:
/// `010`, `inf`, `+1`.
bool leading_number(const Tree& tree, double& value, std::string_view& rest);

/// " (why this is no number)" when a usual way of writing numbers was used that is not read here,
/// such as `0x10` or quotes; else "".
std::string number_hint(const Tree& tree);

// A quoted scalar is text: `"5"` is an error where a number is expected, and so are `010`, `0x10`,
// `1_000`, `.inf` and `.nan`, which YAML readers disagree about. An integer is written in digits.
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
/// `true` or `false`, nothing else.
template <>
struct Value<bool> {
  static TypeInfo type();
  static bool read(bool& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const bool& value);
};
/// Text that is not empty and holds no control character.
template <>
struct Value<std::string> {
  static TypeInfo type();
  static bool read(std::string& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const std::string& value);
};
/// Anything, kept as it is for a later reader.
template <>
struct Value<Tree> {
  static TypeInfo type();
  static bool read(Tree& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Tree& value);
};

/// An enumeration read by name: specialise `enum_names(const E*)` to give name and value.
template <class E>
struct EnumName {
  const char* name;
  E value;
};
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { enum_names(static_cast<const E*>(nullptr)); };

/// The names allowed, as a type; and the name that a tree gives, counted from 0, or -1 after an
/// error was noted.
TypeInfo type_of_names(std::vector<std::string> names);
int index_of_name(const Tree& tree, const TypeInfo& type, Diagnostics& diagnostics);

template <NamedEnum E>
struct Value<E> {
  static TypeInfo type() {
    std::vector<std::string> names;
    for (const auto& row : rows()) names.emplace_back(row.name);
    return type_of_names(std::move(names));
  }
  static bool read(E& out, const Tree& tree, Diagnostics& diagnostics) {
    const int index = index_of_name(tree, type(), diagnostics);
    if (index >= 0) out = rows()[static_cast<std::size_t>(index)].value;
    return index >= 0;
  }
  static Tree write(const E& value) {
    for (const auto& row : rows()) {
      if (row.value == value) return Tree::scalar(row.name);
    }
    return {};
  }

 private:
  static auto rows() { return enum_names(static_cast<const E*>(nullptr)); }
};

}  // namespace paceline
