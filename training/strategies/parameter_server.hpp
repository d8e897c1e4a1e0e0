// SPDX-License-Identifier: MIT
/// \file
/// Training through parameter servers: workers push gradients to server shards and fetch weights. A
/// policy's rule says when the servers update and which workers restart. With `plan.replicas` the
/// servers only sum, and every worker applies the sum to its own copy of the weights.
///
/// A gradient lands in a slot of its worker's at every shard. Of replicas a worker has two slots,
/// for even and odd versions: slower replicas still read a sum while the fastest pushes its next
/// gradient.
#pragma once
#include "training/runtime/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// A worker: fetch, compute, push, and wait for new weights.
Task<> parameter_server_worker(const Plan& plan, Backend& backend, RoleId me);

/// A server shard. Shard 0 decides; the others follow in its order.
Task<> parameter_server_shard(const Plan& plan, Backend& backend, int shard);

/// The buffers of either program.
RoleBuffers parameter_server_buffers(const Plan& plan, RoleId role);

/// The slot in which a gradient that `worker` computed at `version` lands.
inline std::int32_t landing_slot(const Plan& plan, RoleId worker, std::int64_t version) {
  return plan.replicas ? 2 * worker + static_cast<std::int32_t>(version & 1) : worker;
}

/// As Aggregation::is_sound.
bool is_parameter_server_message(const Plan& plan, RoleId to, const Message& message);

}  // namespace paceline
