// SPDX-License-Identifier: MIT
/// \file
/// Workers that update weights of their own: replicas after each exchange, and others for some
/// steps between two exchanges.
#pragma once
#include "training/strategies/plan.hpp"

namespace paceline {

/// The buffers of a worker: weights, which it may optimize itself, and a gradient.
RoleBuffers worker_buffers(const Plan& plan, bool optimizes);

/// Queues an update of the worker's own weights by its own gradient of a mini-batch.
/// \param unread no other worker reads the weights any more
Token queue_local_update(const Plan& plan, Backend& backend, WorkId work, Token unread = {});

/// Queues the update that makes `version` of a replica's weights from its gradient buffer, which
/// holds the sum of `gradients` gradients or, after local steps, of as many replicas' weights.
Token queue_replica_update(const Plan& plan, Backend& backend, RoleId me, std::int64_t version,
                           int gradients, After summed = {});

}  // namespace paceline
