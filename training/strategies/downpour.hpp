// SPDX-License-Identifier: MIT
/// \file
/// Downpour (Dean et al., NIPS 2012, algorithm 7.1): model replicas that compute without waiting,
/// and server shards of which each updates on its own. Pushes and fetches travel while the next
/// mini-batch is computed; a replica adopts the weights that have come in between two mini-batches.
#pragma once
#include "training/runtime/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// A model replica.
Task<> downpour_replica(const Plan& plan, Backend& backend, RoleId me);

/// A server shard. Shard 0's updates are those of the model: it says when to stop.
Task<> downpour_shard(const Plan& plan, Backend& backend, int shard);

/// The buffers of either program. A replica has two accrual buffers, one fills while the other
/// travels, and so a shard has two landings for each replica.
RoleBuffers downpour_buffers(const Plan& plan, RoleId role);

/// As Aggregation::is_sound.
bool is_downpour_message(const Plan& plan, RoleId to, const Message& message);

}  // namespace paceline
