// SPDX-License-Identifier: MIT
/// \file
/// The rings that the machine's own all-reduce library lays at a point, as the simulator does.
#pragma once
#include <vector>

#include "training/setting.hpp"

namespace paceline {

/// An edge of a ring: each rank passes its share of the gradient on to the next.
struct RingEdge {
  RoleId from = 0, to = 0;
};

/// The edges of every ring; empty unless the point's all-reduce is the machine's own, of at least
/// two workers.
std::vector<std::vector<RingEdge>> native_rings(const Setting& setting);

/// Bytes that an edge carries on its links for an all-reduce of `bytes`, with what its protocol
/// adds.
double bytes_on_edge(const Setting& setting, double bytes, std::size_t rings, bool staged);

}  // namespace paceline
