// SPDX-License-Identifier: MIT
/// \file
/// The messages of Downpour's programs (downpour.hpp).
#pragma once
#include "training/strategies/worker_death.hpp"

namespace paceline::downpour {

/// From a replica to a shard: it wants the current weights.
struct Fetch {
  std::uint16_t life = 0;
};
/// From a shard to a replica: the weights are there to fetch.
struct Weights {
  std::int64_t version = 0;
  std::uint16_t life = 0;
};
/// From a replica to a shard: what it accrued has arrived.
struct Push {
  std::int64_t step = 0;     ///< of the last gradient in it
  std::int64_t version = 0;  ///< of the shard's weights that its oldest gradient was computed at
  std::int32_t accrual = 0;  ///< the replica's accrual buffer, 0 or 1
};
/// From a shard to a replica: it has applied the push of that accrual buffer.
struct Applied {
  std::int32_t accrual = 0;
};
/// From a replica to itself: a fetch has ended.
struct Fetched {
  std::uint16_t life = 0;
};
/// From a replica to itself: a mini-batch has ended.
struct Computed {
  std::uint16_t life = 0;
};
/// From shard 0 to a replica: it has made its last update.
struct Stop {};

using Kinds = MortalKinds<Fetch, Weights, Push, Applied, Fetched, Computed, Stop>;

}  // namespace paceline::downpour
