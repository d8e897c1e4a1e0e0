// SPDX-License-Identifier: MIT
/// \file
/// Sweeps: one document stands for many points. A list where one value is expected is a sweep, at
/// any depth; points are the cross product, the first key in the file varying slowest. `zip:` at
/// the top merges each of its rows over the rest. You need this between the reader and the typed
/// structs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/description.hpp"

namespace paceline {

/// One key that differs between points: its dotted path and this point's value as flow YAML.
struct SweptKey {
  std::string path;
  std::string value;
};

/// One point of a sweep: the document with single values, and what was swept. Every point of a
/// sweep has the same paths in the same order.
struct PointTree {
  Tree tree;
  std::vector<SweptKey> swept;
};

/// Which keys take a list as their one value, so that only a list of lists sweeps them. Made from
/// the keys' own descriptions; empty means that every list is a sweep.
class ListKeys {
 public:
  ListKeys() = default;
  explicit ListKeys(std::vector<KeyInfo> keys) : keys_(std::move(keys)) {}
  const std::vector<KeyInfo>& keys() const { return keys_; }

 private:
  std::vector<KeyInfo> keys_;
};

/// The largest sweep that is expanded.
inline constexpr std::uint64_t kMaxPoints = 100'000;

/// All points of a document; one, with nothing swept, when it has no sweep. Throws SpecError with
/// every mistake: an empty list, a `zip` that is not a list of maps with the same keys, a key both
/// swept and in `zip`, more than `kMaxPoints` points (counted before anything is built).
std::vector<PointTree> expand(const Tree& root, const ListKeys& lists);

/// How many points `expand` would make; saturates at 2^63. Throws SpecError as `expand` does, but
/// for the number of points.
std::uint64_t count_points(const Tree& root, const ListKeys& lists);

}  // namespace paceline
