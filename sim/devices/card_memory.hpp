// SPDX-License-Identifier: MIT
/// \file
/// One card that is split into groups of multiprocessors, a worker each: arithmetic runs beside
/// that of other groups at its own speed, but for the memory that all of them share. A layer that
/// takes t alone and moves b bytes is a flow of b bytes through the card's memory at no more than
/// b/t, so it takes t while there is bandwidth for all, and longer when there is not. Bandwidth is
/// shared max-min, in bytes a second: a group that needs little gets it whatever the others need.
/// Work that moves no bytes takes its own time. Where several groups were measured at once, layers
/// are slowed down by what was measured instead: it holds all that they share.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/network/fluid_network.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class CardMemory {
 public:
  /// Work on a group: a flow of bytes, or of seconds through what was measured; or a time.
  struct Work {
    RouteId route{};
    double bytes = 0;
    double ps = 0;  ///< alone
  };

  /// Requires that `costs` has groups. Adds the card's memory and all routes through it.
  CardMemory(const Costs& costs, FluidNetwork& network);

  /// A layer of a worker's mini-batch.
  const Work& layer(Pass pass, std::int32_t layer) const {
    const auto& works = pass == Pass::forward    ? forward_
                        : pass == Pass::backward ? backward_
                                                 : validation_;
    return works[static_cast<std::size_t>(layer)];
  }
  /// Sums and updates that take `ps` alone, of which memory is the limit.
  Work over_parameters(bool worker, double ps) const;
  /// The card's memory, if it limits any role.
  std::optional<ResourceId> memory() const { return memory_; }

 private:
  std::vector<Work> passes(const std::vector<Seconds>& times, const std::vector<Bytes>& traffic);
  RouteId route(double limit);

  FluidNetwork& network_;
  const CardShares shares_;
  std::optional<ResourceId> memory_;
  std::optional<RouteId> turns_;      ///< of layers, in seconds, where they were measured
  std::map<double, RouteId> routes_;  ///< by the most bytes a second
  std::vector<Work> forward_, backward_, validation_;
};

}  // namespace paceline
