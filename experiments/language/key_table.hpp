// SPDX-License-Identifier: MIT
/// \file
/// The keys of a struct as a table that does not depend on the struct's type: for each key, the
/// offset of its value in an object and the functions that read and write it. `Description`
/// (description.hpp) fills the table. All structs share one instantiation of this code, which keeps
/// compile times short.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/language/value.hpp"

namespace paceline {

/// The name, help, default, bounds and type of one key, independent of its struct.
struct KeyInfo {
  std::string name;
  std::string help;
  bool required = false;
  std::string fallback;  ///< the default as YAML; "" if required or if absence has a meaning
  std::string bounds;    ///< "> 0 s", "0 to 1", or ""
  TypeInfo type;
};

/// The functions of `Value<V>` for some `V`, with the value passed by untyped pointer.
struct Codec {
  TypeInfo (*type)();
  /// false after noting an error
  bool (*read)(void* out, const Tree& tree, Diagnostics& diagnostics);
  Tree (*write)(const void* value);
};

template <class V>
inline constexpr Codec kCodecOf{
    [] { return Value<V>::type(); },
    [](void* out, const Tree& tree, Diagnostics& diagnostics) {
      return Value<V>::read(*static_cast<V*>(out), tree, diagnostics);
    },
    [](const void* value) { return Value<V>::write(*static_cast<const V*>(value)); }};

/// A bound on one key's value.
struct Bound {
  std::string text;                         ///< "> 0 s"
  std::function<bool(const void*)> allows;  ///< whether the value pointed to is within the bound
};

class KeyTable {
 public:
  /// Adds a key; its value is `offset` bytes into an object. `blank` is a default-constructed
  /// object that supplies the defaults of optional keys.
  void add(const char* name, const char* help, bool required, std::size_t offset,
           const Codec& codec, const void* blank);
  /// Adds a bound to the last key added.
  void bound_last(Bound bound);

  std::vector<std::string> names() const;
  std::vector<KeyInfo> infos() const;

  /// Reads a map into `object`. An error stands at the map for a missing key and at the value for a
  /// wrong one. `skip` is one more allowed key, which the caller reads itself (`kind`). Returns
  /// false if any error was noted.
  bool read(void* object, const Tree& tree, Diagnostics& diagnostics, std::string_view skip) const;
  /// A map of all keys of `object` that have a value.
  Tree write(const void* object) const;

 private:
  struct Key {
    KeyInfo info;
    std::size_t offset = 0;
    const Codec* codec = nullptr;
    std::vector<Bound> bounds;
  };
  std::vector<Key> keys_;
};

}  // namespace paceline
