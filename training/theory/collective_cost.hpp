// SPDX-License-Identifier: MIT
/// \file
/// What summing n bytes over P workers costs on links that are all alike: the alpha-beta-gamma
/// model. The simulator's schedules must come to these times on an ideal network.
///
/// Sources: Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; Patarasuk & Yuan, JPDC 69(2), 2009;
/// the torus: Mikami et al., arXiv:1811.05233.
#pragma once
#include <limits>

#include "experiments/units.hpp"

namespace paceline {

/// One link and the arithmetic beside it.
struct LinkCost {
  Seconds latency;           ///< alpha, of each message
  BytesPerSecond bandwidth;  ///< 1 / beta
  /// 1 / gamma: how fast received bytes are added; infinite when that is free.
  BytesPerSecond reduction{std::numeric_limits<double>::infinity()};
};

/// 2(P-1) alpha + 2 (P-1)/P n beta + (P-1)/P n gamma.
Seconds ring_cost(const LinkCost& link, Bytes size, int workers);

/// 2 log2(P) alpha + 2 (P-1)/P n beta + (P-1)/P n gamma. Requires that P is a power of two.
Seconds halving_doubling_cost(const LinkCost& link, Bytes size, int workers);

/// A reduction down a binomial tree and a broadcast up it, unpipelined:
/// 2 ceil(log2 P) (alpha + n beta) + ceil(log2 P) n gamma.
Seconds binomial_cost(const LinkCost& link, Bytes size, int workers);

/// A server beside the P workers, all traffic through its one link: 2 alpha + 2 P n beta.
/// With S servers the beta term is S times shorter. Requires servers >= 1.
Seconds parameter_server_cost(const LinkCost& link, Bytes size, int workers, int servers = 1);

/// Reduce-scatter along rows of X, ring along columns of Y on the n/X that are left, all-gather
/// along rows: 2(X-1 + Y-1) alpha + [2 (X-1)/X + 2 (Y-1)/(XY)] n beta + [(X-1)/X + (Y-1)/(XY)] n
/// gamma.
Seconds torus_cost(const LinkCost& link, Bytes size, int columns, int rows);

/// Time over time: what a benchmark reports as bus bandwidth, n/t x 2 (P-1)/P, which does not
/// depend on P where an all-reduce keeps every link busy. Requires time > 0.
BytesPerSecond all_reduce_bus_bandwidth(Bytes size, Seconds time, int workers);

}  // namespace paceline
