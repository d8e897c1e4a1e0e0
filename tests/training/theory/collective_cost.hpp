// SPDX-License-Identifier: MIT
/// \file
/// The time to sum n bytes over P workers on equal links: the alpha-beta-gamma model. The
/// simulator's schedules must take these times on an ideal network.
///
/// Sources: Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; Patarasuk & Yuan, JPDC 69(2), 2009;
/// the torus: Mikami et al., arXiv:1811.05233.
#pragma once
#include <bit>
#include <cassert>
#include <limits>

#include "experiments/language/units.hpp"

namespace paceline {

/// ceil(log2 P) for P >= 1.
inline int rounds(int workers) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(workers) - 1));
}

/// (P-1)/P: the share of the data that belongs to other workers.
inline double foreign(int workers) {
  return (workers - 1.0) / workers;
}

/// One link and the arithmetic of its ends.
struct LinkCost {
  Seconds latency;           ///< alpha, of each message
  BytesPerSecond bandwidth;  ///< 1 / beta
  /// 1 / gamma: the rate at which received bytes are added; infinite if free.
  BytesPerSecond reduction{std::numeric_limits<double>::infinity()};
};

/// 2(P-1) alpha + 2 (P-1)/P n beta + (P-1)/P n gamma.
inline Seconds ring_cost(const LinkCost& link, Bytes size, int workers) {
  const Bytes share = size * foreign(workers);
  return link.latency * (2 * (workers - 1)) + 2 * (share / link.bandwidth) + share / link.reduction;
}

/// 2 log2(P) alpha + 2 (P-1)/P n beta + (P-1)/P n gamma. Requires that P is a power of two.
inline Seconds halving_doubling_cost(const LinkCost& link, Bytes size, int workers) {
  assert(std::has_single_bit(static_cast<unsigned>(workers)));
  const Bytes share = size * foreign(workers);
  return link.latency * (2 * rounds(workers)) + 2 * (share / link.bandwidth) +
         share / link.reduction;
}

/// The halves of a ring: (P-1) alpha + (P-1)/P n beta, and (P-1)/P n gamma of the reduce-scatter.
inline Seconds all_gather_cost(const LinkCost& link, Bytes size, int workers) {
  return link.latency * (workers - 1) + size * foreign(workers) / link.bandwidth;
}
inline Seconds reduce_scatter_cost(const LinkCost& link, Bytes size, int workers) {
  return all_gather_cost(link, size, workers) + size * foreign(workers) / link.reduction;
}

/// A reduction to the root of a binomial tree and a broadcast from it, unpipelined:
/// 2 ceil(log2 P) (alpha + n beta) + ceil(log2 P) n gamma.
inline Seconds binomial_cost(const LinkCost& link, Bytes size, int workers) {
  return (2 * (link.latency + size / link.bandwidth) + size / link.reduction) * rounds(workers);
}

/// A server beside the P workers, with all traffic through its one link: 2 alpha + 2 P n beta. With
/// S servers the beta term is S times shorter. Requires servers >= 1.
inline Seconds parameter_server_cost(const LinkCost& link, Bytes size, int workers,
                                     int servers = 1) {
  return 2 * link.latency + (size / link.bandwidth) * (2.0 * workers / servers);
}

/// Reduce-scatter along rows of X, ring along columns of Y on the n/X that are left, all-gather
/// along rows: 2(X-1 + Y-1) alpha + [2 (X-1)/X + 2 (Y-1)/(XY)] n beta + [(X-1)/X + (Y-1)/(XY)] n
/// gamma.
inline Seconds torus_cost(const LinkCost& link, Bytes size, int columns, int rows) {
  return ring_cost(link, size, columns) + ring_cost(link, size / columns, rows);
}

/// A reduction and a broadcast along the tree of each group, and between them an all-reduce among
/// the groups that takes `among`.
inline Seconds hierarchical_cost(const LinkCost& link, Bytes size, int group, Seconds among) {
  return binomial_cost(link, size, group) + among;
}

/// The bus bandwidth that a benchmark reports, n/t x 2 (P-1)/P; it does not depend on P if an
/// all-reduce keeps every link busy. Requires time > 0.
inline BytesPerSecond all_reduce_bus_bandwidth(Bytes size, Seconds time, int workers) {
  return (size / time) * (2 * foreign(workers));
}

}  // namespace paceline
