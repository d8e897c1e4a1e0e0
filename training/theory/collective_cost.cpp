// SPDX-License-Identifier: MIT
#include "training/theory/collective_cost.hpp"

#include <bit>
#include <cassert>

namespace paceline {
namespace {

/// ceil(log2 P) for P >= 1.
int rounds(int workers) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(workers) - 1));
}

/// (P-1)/P: the share of the data that is another worker's.
double foreign(int workers) {
  return (workers - 1.0) / workers;
}

}  // namespace

Seconds ring_cost(const LinkCost& link, Bytes size, int workers) {
  const Bytes share = size * foreign(workers);
  return link.latency * (2 * (workers - 1)) + 2 * (share / link.bandwidth) + share / link.reduction;
}

Seconds halving_doubling_cost(const LinkCost& link, Bytes size, int workers) {
  assert(std::has_single_bit(static_cast<unsigned>(workers)));
  const Bytes share = size * foreign(workers);
  return link.latency * (2 * rounds(workers)) + 2 * (share / link.bandwidth) +
         share / link.reduction;
}

Seconds binomial_cost(const LinkCost& link, Bytes size, int workers) {
  return (2 * (link.latency + size / link.bandwidth) + size / link.reduction) * rounds(workers);
}

Seconds parameter_server_cost(const LinkCost& link, Bytes size, int workers, int servers) {
  return 2 * link.latency + (size / link.bandwidth) * (2.0 * workers / servers);
}

Seconds torus_cost(const LinkCost& link, Bytes size, int columns, int rows) {
  return ring_cost(link, size, columns) + ring_cost(link, size / columns, rows);
}

BytesPerSecond all_reduce_bus_bandwidth(Bytes size, Seconds time, int workers) {
  return (size / time) * (2 * foreign(workers));
}

}  // namespace paceline
