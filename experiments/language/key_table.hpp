// SPDX-License-Identifier: MIT
/// \file
/// The keys of a struct as a table that does not know the struct: where in an object a key's value
/// lies and how it is read and written. `Description` (description.hpp) fills it in; one copy of
/// this code serves every struct, which keeps their compilation short.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// `Value<V>` of some `V`, through pointers to a `V`.
struct Codec {
  TypeInfo (*type)();
  bool (*read)(void* out, const Tree& tree, Diagnostics& diagnostics);  ///< false: an error noted
  Tree (*write)(const void* value);
};

template <class V>
inline constexpr Codec codec_of{
    [] { return Value<V>::type(); },
    [](void* out, const Tree& tree, Diagnostics& diagnostics) {
      return Value<V>::read(*static_cast<V*>(out), tree, diagnostics);
    },
    [](const void* value) { return Value<V>::write(*static_cast<const V*>(value)); }};

/// A bound of one key's value.
struct Bound {
  std::string text;                         ///< "> 0 s"
  std::function<bool(const void*)> allows;  ///< whether the value that is pointed to keeps it
};

class KeyTable {
 public:
  /// Adds a key whose value lies `offset` bytes into an object. The default of an optional key is
  /// the value in `blank`, an object that nothing was read into.
  void add(const char* name, const char* help, bool required, std::size_t offset,
           const Codec& codec, const void* blank);
  /// Adds a bound to the key that was added last.
  void bound_last(Bound bound);

  std::vector<std::string> names() const;
  std::vector<KeyInfo> infos() const;

  /// Reads a map into `object`; errors go to `diagnostics`: a missing key at the map's own place,
  /// a wrong one at its value. `skip` names one key that the caller has read already (`kind`).
  /// Returns whether all went well.
  bool read(void* object, const Tree& tree, Diagnostics& diagnostics, std::string_view skip) const;
  /// Every key of `object` that has a value.
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
