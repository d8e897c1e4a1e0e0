// SPDX-License-Identifier: MIT
/// \file
/// The rings that the machine's native all-reduce library uses at a point, as modelled by the
/// simulator.
#pragma once
#include <vector>

#include "sim/costs/prediction.hpp"

namespace paceline {

/// An edge of a ring: a rank sends its part of the gradient to the next rank.
struct RingEdge {
  RoleId from = 0, to = 0;
};

/// The edges of every ring; empty unless the point uses the native all-reduce with at least two
/// workers.
std::vector<std::vector<RingEdge>> nccl_ring_edges(const Prediction& setting);

/// The bytes that an edge carries for an all-reduce of `bytes`, including the overhead of its
/// protocol.
double bytes_on_edge(const Prediction& setting, double bytes, std::size_t rings, bool staged);

}  // namespace paceline
