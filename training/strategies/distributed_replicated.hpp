// SPDX-License-Identifier: MIT
/// \file
/// Synchronous training of groups of workers through servers: the workers of a group sum their
/// gradients along a binomial tree to the first of them, which pushes the sum to every server
/// shard; a shard adds the groups' sums up and updates its weights; the first of each group fetches
/// them and broadcasts them in its group. Only one copy of gradients and of weights leaves a group,
/// however many workers it has. After TensorFlow's variable_update=distributed_replicated, where
/// a group is the GPUs of a computer.
///
/// Where each fetches, workers read the weights from the servers themselves, as towers do that
/// share variables and have their gradients averaged on the first GPU.
///
/// Staged (its staged variables): a mini-batch is computed on the weights of the update before, and
/// the current ones arrive beside it, so that every gradient but the first is one update stale.
#pragma once
#include <optional>

#include "training/runtime/task.hpp"
#include "training/strategies/collectives/run_schedule.hpp"
#include "training/strategies/grouping.hpp"
#include "training/strategies/plan.hpp"
#include "training/strategies/scattered_batch.hpp"

namespace paceline {

/// The groups of a plan's workers.
struct WorkerGroups {
  Grouping grouping;
  bool staged = false;
  bool each_fetches = false;               ///< no broadcast; not staged
  std::optional<LossPlacement> scattered;  ///< the batch lies with the server, and so may the loss
  SharedSchedule reduce, broadcast;        ///< of all workers, each within its group

  WorkerGroups(Grouping of_workers, bool are_staged);
  int count() const { return grouping.count(); }
  int group_of(RoleId worker) const { return grouping.group_of(worker); }
  /// Whether the servers send a worker their weights.
  bool fetches(RoleId worker) const { return each_fetches || is_first(worker); }
  /// Staged, a worker may pass weights on to one that has not adopted those before.
  std::int32_t incoming_slots() const { return grouping.largest() > 1 ? 2 : 1; }
  /// Whether workers wait within their groups.
  bool sums() const { return !staged && grouping.largest() > 1; }
  bool is_first(RoleId worker) const { return grouping.is_first(worker); }
};

Task<> grouped_worker(const Plan& plan, const WorkerGroups& groups, Backend& backend, RoleId me);
Task<> grouped_shard(const Plan& plan, const WorkerGroups& groups, Backend& backend, int shard);

/// The buffers of either program.
RoleBuffers grouped_buffers(const Plan& plan, const WorkerGroups& groups, RoleId role);

/// As Aggregation::is_sound.
bool is_grouped_message(const Plan& plan, RoleId to, const Message& message);

}  // namespace paceline
