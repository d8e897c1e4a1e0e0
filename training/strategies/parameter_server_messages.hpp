// SPDX-License-Identifier: MIT
/// \file
/// The messages of the parameter server's programs (parameter_server.hpp).
#pragma once
#include "training/strategies/worker_death.hpp"

namespace paceline::parameter_server {

/// From a worker to shard 0: its gradient has arrived at all shards.
struct Gradient {
  std::int64_t step = 0;
  std::int64_t version = 0;  ///< of the weights that it was computed at
};
/// From shard 0 to the other shards: a gradient that it accepted.
struct Accepted {
  std::int64_t step = 0;
  std::int64_t version = 0;
  RoleId worker = 0;
  bool completes : 1 = false;  ///< it is the update's last gradient
};
/// From shard 0 to the other shards: a worker has died.
struct Lost {
  RoleId worker = 0;
  bool completes : 1 = false;  ///< the update goes without its gradient, and has all others
};
/// From a shard to a worker: weights, or of replicas a sum, are there to fetch.
struct Weights {
  std::int64_t version = 0;
  RoleId sum_at = 0;          ///< of replicas: the worker that has the sum in its landing buffer
  std::uint16_t life = 0;     ///< of the worker
  bool accepted : 1 = false;  ///< the worker's last gradient is in them
};
/// From a shard to a worker: it has taken the gradient; the worker may start another mini-batch at
/// the same version.
struct GoOn {
  std::int64_t version = 0;
  std::uint16_t life = 0;
};
/// From a shard to a worker: it has made its last update.
struct Stop {
  std::int64_t version = 0;
  RoleId sum_at = 0;  ///< as of Weights
};

using Kinds = MortalKinds<Gradient, Accepted, Lost, Weights, GoOn, Stop>;

}  // namespace paceline::parameter_server
