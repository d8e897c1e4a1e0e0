// SPDX-License-Identifier: MIT
/// \file
/// The messages of the programs of grouped workers (distributed_replicated.hpp).
#pragma once
#include "training/runtime/message.hpp"

namespace paceline::grouped {

/// From the first worker of a group to a shard: the group's sum has arrived.
struct Sum {
  std::int64_t version = 0;  ///< of the weights that its gradients were computed at
};
/// From a shard to the first worker of each group: weights are there to fetch.
struct Weights {
  std::int64_t version = 0;
};
/// From a worker to the server: its outputs are there. And back: so is the loss of all.
struct Outputs {};
struct Losses {};
using Kinds = MessageKinds<Sum, Weights, Outputs, Losses>;

}  // namespace paceline::grouped
