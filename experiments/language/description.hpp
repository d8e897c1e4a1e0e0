// SPDX-License-Identifier: MIT
/// \file
/// The description of a struct's YAML keys, written once by the struct. Reading from a YAML map,
/// writing back, the JSON schema, the reference page and "did you mean" all use the same
/// description.
///
///     struct Link {
///       BytesPerSecond bandwidth; Seconds latency;
///       static void describe(Description<Link>& d) {
///         d.required("bandwidth", &Link::bandwidth, "capacity in each direction")
///             .above(BytesPerSecond{0});
///         d.optional("latency", &Link::latency, "time a message takes on top")
///             .at_least(Seconds{0});
///       }
///     };
///     Link link = read<Link>(tree, diagnostics);
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/language/containers.hpp"
#include "experiments/language/key_table.hpp"
#include "experiments/language/share.hpp"
#include "experiments/language/unit_table.hpp"
#include "experiments/language/value.hpp"

namespace paceline {

template <class T>
class Description;

/// A struct that describes its keys in `static void describe(Description<T>&)`.
template <class T>
concept Described = requires(Description<T>& d) { T::describe(d); };

/// Adds bounds to the key described last; the key's value is a `V`.
template <class V>
class Bounds {
 public:
  explicit Bounds(KeyTable& table) : table_(table) {}
  Bounds& above(V low) {
    return add("> ", low, [](const V& v, const V& l) { return v > l; });
  }
  Bounds& at_least(V low) {
    return add(">= ", low, [](const V& v, const V& l) { return v >= l; });
  }
  Bounds& at_most(V high) {
    return add("<= ", high, [](const V& v, const V& h) { return v <= h; });
  }
  Bounds& below(V high) {
    return add("< ", high, [](const V& v, const V& h) { return v < h; });
  }

 private:
  Bounds& add(const char* sign, V limit, bool (*allows)(const V&, const V&)) {
    table_.bound_last({sign + to_flow(Value<V>::write(limit)), [limit, allows](const void* value) {
                         return allows(*static_cast<const V*>(value), limit);
                       }});
    return *this;
  }

  KeyTable& table_;
};

/// Collects the keys of `T` from `T::describe`.
template <class T>
class Description {
 public:
  /// A key that must be present.
  template <class V>
  Bounds<V> required(const char* name, V T::*member, const char* help) {
    return add(name, member, help, true);
  }
  /// A key that may be absent; its default is the member's initial value.
  template <class V>
  Bounds<V> optional(const char* name, V T::*member, const char* help) {
    return add(name, member, help, false);
  }

  /// The same, read and written by `codec`, which is of a `V`.
  template <class V>
  void required(const char* name, V T::*member, const char* help, const Codec& codec) {
    add(name, member, help, true, codec);
  }
  template <class V>
  void optional(const char* name, V T::*member, const char* help, const Codec& codec) {
    add(name, member, help, false, codec);
  }

  KeyTable& table() { return table_; }

 private:
  template <class V>
  Bounds<V> add(const char* name, V T::*member, const char* help, bool required,
                const Codec& codec = kCodecOf<V>) {
    const auto* object = reinterpret_cast<const std::byte*>(&blank_);
    const auto* value = reinterpret_cast<const std::byte*>(&(blank_.*member));
    table_.add(name, help, required, static_cast<std::size_t>(value - object), codec, &blank_);
    return Bounds<V>(table_);
  }

  const T blank_{};
  KeyTable table_;
};

/// The keys of `T`; `describe` is called once per program.
template <Described T>
const KeyTable& key_table_of() {
  static const KeyTable table = [] {
    Description<T> description;
    T::describe(description);
    return std::move(description.table());
  }();
  return table;
}

/// Reads the described keys of a map into `object`, as `KeyTable::read` does.
template <Described T>
bool read_keys(T& object, const Tree& tree, Diagnostics& diagnostics, std::string_view skip = "") {
  return key_table_of<T>().read(&object, tree, diagnostics, skip);
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
  return key_table_of<T>().write(&object);
}

/// The names, types, defaults and help texts of the keys of `T`, for the schema and the reference
/// page.
template <Described T>
std::vector<KeyInfo> keys_of() {
  return key_table_of<T>().infos();
}

/// A described struct is itself a value, so described structs nest.
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

/// A `Tree` or an optional one that is kept for a later reader of `T`, or is a name. Sweeps find
/// the lists of values inside, and leave the lists that `T` has.
template <class V, class T>
inline constexpr Codec kCodecOfLater{[] {
                                       TypeInfo info = Value<V>::type();
                                       info.within = [] { return keys_of<T>(); };
                                       return info;
                                     },
                                     kCodecOf<V>.read, kCodecOf<V>.write};

}  // namespace paceline
