// SPDX-License-Identifier: MIT
/// \file
/// Training through parameter servers: workers push gradients to server shards and fetch weights. A
/// policy's rule says when the servers update and who restarts. With `plan.replicas` the servers
/// only sum, and every worker applies the sum to its own copy of the weights.
#pragma once
#include "training/roles/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// A worker: fetch, compute, push, and wait to be told of new weights. `links_apart`: each shard
/// has links of its own, so workers begin with different ones; else all take the shards in the
/// order in which forward needs them.
Task<> parameter_server_worker(const Plan& plan, Backend& backend, RoleId me,
                               bool links_apart = false);

/// A server shard. Shard 0 decides; the others do as it says, in its order.
Task<> parameter_server_shard(const Plan& plan, Backend& backend, int shard);

}  // namespace paceline
