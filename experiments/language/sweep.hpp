// SPDX-License-Identifier: MIT
/// \file
/// Sweeps: one document that stands for many points. At any depth, a list in place of a single
/// value is a sweep. The points are the cross product of the sweeps; the first key in the file
/// varies slowest. Each row of a top-level `zip:` is merged over the rest. Expansion comes after
/// parsing and before the typed structs are read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/language/description.hpp"

namespace paceline {

/// One key that differs between points: its dotted path and its value at one point as flow YAML.
struct SweptKey {
  std::string path;
  std::string value;
};

/// One point of a sweep: the document with single values, and the swept keys. All points of a sweep
/// have the same swept paths in the same order.
struct PointTree {
  Tree tree;
  std::vector<SweptKey> swept;
};

/// The keys with lists as values, so that only a list of lists sweeps them. Made from the key
/// descriptions; if empty, every list is a sweep.
class ListKeys {
 public:
  ListKeys() = default;
  explicit ListKeys(std::vector<KeyInfo> keys) : keys_(std::move(keys)) {}
  const std::vector<KeyInfo>& keys() const { return keys_; }

 private:
  std::vector<KeyInfo> keys_;
};

/// The maximum number of points that `expand` makes.
inline constexpr std::uint64_t kMaxPoints = 100'000;

/// All points of a document; a document without sweeps is one point. Throws a SpecError with all
/// errors: an empty sweep, a repeated value, a `zip` that is not a list of maps with the same keys,
/// a key both swept and in `zip`, or more than `kMaxPoints` points (counted before any is built).
std::vector<PointTree> expand(const Tree& root, const ListKeys& lists);

/// The number of points of a document, saturating at 2^63. Throws SpecError like `expand`, except
/// for too many points.
std::uint64_t count_points(const Tree& root, const ListKeys& lists);

}  // namespace paceline
