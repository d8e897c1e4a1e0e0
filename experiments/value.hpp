/// \file
/// How a scalar, a list or an optional becomes a C++ value and back: one specialisation of `Value`
/// per type. Quantities must carry a unit; a bare number is an error that names the units allowed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/tree.hpp"
#include "experiments/units.hpp"

namespace paceline {

struct KeyInfo;
struct VariantInfo;

/// What kind of value a key takes, for the schema and the reference page.
struct TypeInfo {
  std::string name;                                   ///< "time", "integer", "text", "list of ..."
  std::vector<std::string> units;                     ///< the units allowed, for quantities
  std::vector<std::string> choices;                   ///< the names allowed, for enumerations
  std::function<std::vector<KeyInfo>()> fields;       ///< of a mapping
  std::function<std::vector<VariantInfo>()> variants; ///< of a family: `kind:` or a bare name
  std::string family;                                 ///< what a family is called
  bool list = false;                                  ///< the value itself is a list
};

/// Specialise: `type()`, `read(out, tree, diagnostics)` (false after noting an error), `write(value)`.
template <class V>
struct Value;

/// A row of a table of units: `25 MiB` is 25 x scale.
struct UnitRow {
  const char* suffix;
  double scale;
};

/// Reads "number unit"; notes an error naming the units allowed. `what` is "time", "size", ...
bool read_quantity(double& out, const Tree& tree, const char* what, std::span<const UnitRow> units,
                   Diagnostics& diagnostics);
/// Writes a number with the largest unit in which it is at least 1.
std::string print_quantity(double value, std::span<const UnitRow> units);
/// Shortest decimal that reads back to the same double.
std::string print_number(double value);

std::span<const UnitRow> units_of(const Seconds*);
std::span<const UnitRow> units_of(const Bytes*);
std::span<const UnitRow> units_of(const BytesPerSecond*);
std::span<const UnitRow> units_of(const Flops*);
std::span<const UnitRow> units_of(const FlopsPerSecond*);
const char* dimension_of(const Seconds*);
const char* dimension_of(const Bytes*);
const char* dimension_of(const BytesPerSecond*);
const char* dimension_of(const Flops*);
const char* dimension_of(const FlopsPerSecond*);

template <class Unit>
struct Value<Quantity<Unit>> {
  using Q = Quantity<Unit>;
  static TypeInfo type() {
    TypeInfo info;
    info.name = dimension_of(static_cast<const Q*>(nullptr));
    for (const UnitRow& row : units_of(static_cast<const Q*>(nullptr))) {
      info.units.emplace_back(row.suffix);
    }
    return info;
  }
  static bool read(Q& out, const Tree& tree, Diagnostics& diagnostics) {
    double number = 0;
    const Q* tag = nullptr;
    if (!read_quantity(number, tree, dimension_of(tag), units_of(tag), diagnostics)) return false;
    out = Q{number};
    return true;
  }
  static Tree write(const Q& value) {
    return Tree::scalar(print_quantity(value.value(), units_of(static_cast<const Q*>(nullptr))));
  }
};

/// Declares a `Value` that is implemented in value.cpp.
#define PACELINE_DECLARE_VALUE(Type)                                         \
  template <>                                                                \
  struct Value<Type> {                                                       \
    static TypeInfo type();                                                  \
    static bool read(Type& out, const Tree& tree, Diagnostics& diagnostics); \
    static Tree write(const Type& value);                                    \
  }
PACELINE_DECLARE_VALUE(double);        // a plain finite number
PACELINE_DECLARE_VALUE(int);           // a decimal integer
PACELINE_DECLARE_VALUE(std::int64_t);  // likewise
PACELINE_DECLARE_VALUE(std::uint64_t);  // a seed
PACELINE_DECLARE_VALUE(bool);          // true | false
PACELINE_DECLARE_VALUE(std::string);
PACELINE_DECLARE_VALUE(Tree);  // anything, kept as it is for a later reader

/// A fraction, written `50 %`; as a plain number it is an error.
struct Percent {
  double fraction = 0;
  friend constexpr auto operator<=>(Percent, Percent) = default;
};
PACELINE_DECLARE_VALUE(Percent);

/// A count of workers, or a share of them: `3`, or `50 %` = ceil(P/2).
struct CountOrShare {
  int count = 0;        ///< used when `share` is 0
  double share = 0;     ///< fraction of the workers, in (0, 1]
  /// The count for P workers.
  int of(int workers) const;
  bool set() const { return count != 0 || share != 0; }
  friend constexpr bool operator==(CountOrShare, CountOrShare) = default;
};
PACELINE_DECLARE_VALUE(CountOrShare);
#undef PACELINE_DECLARE_VALUE

/// An enumeration read by name: specialise `enum_names(const E*)` to give name and value.
template <class E>
struct EnumName {
  const char* name;
  E value;
};
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { enum_names(static_cast<const E*>(nullptr)); };

template <NamedEnum E>
struct Value<E> {
  static TypeInfo type() {
    TypeInfo info;
    info.name = "name";
    for (const auto& row : enum_names(static_cast<const E*>(nullptr))) {
      info.choices.emplace_back(row.name);
    }
    return info;
  }
  static bool read(E& out, const Tree& tree, Diagnostics& diagnostics) {
    for (const auto& row : enum_names(static_cast<const E*>(nullptr))) {
      if (tree.is_scalar() && tree.text == row.name) {
        out = row.value;
        return true;
      }
    }
    diagnostics.error(tree.at, unknown_name("name", to_flow(tree), type().choices));
    return false;
  }
  static Tree write(const E& value) {
    for (const auto& row : enum_names(static_cast<const E*>(nullptr))) {
      if (row.value == value) return Tree::scalar(row.name);
    }
    return {};
  }
};

template <class V>
struct Value<std::vector<V>> {
  static TypeInfo type() {
    TypeInfo info = Value<V>::type();
    info.name = "list of " + info.name;
    info.list = true;
    return info;
  }
  static bool read(std::vector<V>& out, const Tree& tree, Diagnostics& diagnostics) {
    if (!tree.is_list()) {
      diagnostics.error(tree.at, "expected a list");
      return false;
    }
    std::vector<V> values;
    bool good = true;
    for (const Tree& item : tree.items) {
      V value{};
      good = Value<V>::read(value, item, diagnostics) && good;
      values.push_back(std::move(value));
    }
    if (good) out = std::move(values);
    return good;
  }
  static Tree write(const std::vector<V>& values) {
    std::vector<Tree> items;
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

/// A map from names or numbers to values: `{3: {slowdown: 1.15}}`.
template <class K, class V>
struct Value<std::map<K, V>> {
  static TypeInfo type() {
    TypeInfo info;
    info.name = "mapping of " + Value<K>::type().name + " to " + Value<V>::type().name;
    info.fields = Value<V>::type().fields;
    return info;
  }
  static bool read(std::map<K, V>& out, const Tree& tree, Diagnostics& diagnostics) {
    if (!tree.is_map()) {
      diagnostics.error(tree.at, "expected a mapping");
      return false;
    }
    std::map<K, V> values;
    bool good = true;
    for (const Member& member : tree.members) {
      K key{};
      V value{};
      good = Value<K>::read(key, Tree::scalar(member.key, member.key_at), diagnostics) && good;
      good = Value<V>::read(value, member.value, diagnostics) && good;
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
