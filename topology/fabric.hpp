// SPDX-License-Identifier: MIT
/// \file
/// Shortest paths over one network of a machine's links: its NVLinks, or all other links. `Machine`
/// chooses the network of a transfer. The paths from a source are computed on first use and cached.
/// Thread-safe.
#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "experiments/language/units.hpp"

namespace paceline {

/// One direction of a link. A half-duplex link is two hops with the same id.
struct Hop {
  int from = 0;
  int to = 0;
  int link = 0;
  Seconds latency;
  BytesPerSecond capacity;
};

/// How paths compare. Integers, so that paths over equal links tie exactly, whatever their order.
struct PathLength {
  std::int64_t latency_ps = 0;
  std::int64_t femtoseconds_per_byte = 0;  ///< sum of 1/capacity
  std::int64_t hops = 0;
  friend auto operator<=>(const PathLength&, const PathLength&) = default;
  PathLength& operator+=(const PathLength& other);
};

/// A path: its links and the vertices between its ends.
struct Path {
  std::vector<int> links;
  std::vector<int> between;
  PathLength length;
  Seconds latency() const { return Seconds{static_cast<double>(length.latency_ps) * 1e-12}; }
};

class Fabric final {
 public:
  /// `transit[v]`: whether paths may pass through v instead of only beginning or ending there.
  Fabric(std::vector<bool> transit, const std::vector<Hop>& hops);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// The path with the least latency; ties are resolved by the least sum of 1/capacity, the fewest
  /// hops and the lowest link ids, compared from the source on. Nothing if there is no path; a path
  /// without links if from = to.
  std::optional<Path> path(int from, int to) const;

 private:
  struct Paths;
  std::unique_ptr<Paths> paths_;
};

}  // namespace paceline
