// SPDX-License-Identifier: MIT
/// \file
/// Shortest paths over one network of a machine's links: its NVLinks, or all others. `Machine`
/// decides which network a transfer uses. Paths are found a source at a time when first asked for,
/// and kept; any number of threads may ask.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "experiments/units.hpp"

namespace paceline {

/// One direction in which a link may be crossed. A half-duplex link is two hops with one id.
struct Hop {
  int from = 0;
  int to = 0;
  int link = 0;
  Seconds latency;
  BytesPerSecond capacity;
};

/// A path: the links it crosses and the vertices between its ends.
struct Path {
  std::vector<int> links;
  std::vector<int> between;
  Seconds latency;
};

class Fabric final {
 public:
  /// `transit[v]`: whether paths may pass through v, and not only begin or end there.
  Fabric(std::vector<bool> transit, const std::vector<Hop>& hops);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// The path of least latency, then least sum of 1/capacity, then fewest hops, then lowest link
  /// ids from the source on. Empty when there is none; no links when from = to.
  std::optional<Path> path(int from, int to) const;

 private:
  struct Paths;
  std::unique_ptr<Paths> paths_;
};

}  // namespace paceline
