// SPDX-License-Identifier: MIT
/// \file
/// Synchronous training through one server that has the batch, too: it scatters the batch and the
/// weights, and gathers gradients and perhaps outputs.
#pragma once
#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/distributed_replicated.hpp"

namespace paceline {

class ScatteringServer : public Aggregation {
 public:
  int shards(int, int) const override { return 1; }
  bool replicas() const override { return false; }
  bool scatters() const override { return true; }
  bool serves(const UpdatePolicy& policy) const override {
    return policy.takes_all_workers() && policy.rule(1).steps() == 1;
  }
  RoleBuffers buffers(const Plan& plan, RoleId role) const override {
    return grouped_buffers(plan, alone(plan), role);
  }
  bool is_sound(const Plan& plan, RoleId to, const Message& message) const override {
    return is_grouped_message(plan, to, message);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    const WorkerGroups workers = alone(plan);
    const Task<> own = role < plan.workers
                           ? grouped_worker(plan, workers, backend, role)
                           : grouped_shard(plan, workers, backend, role - plan.workers);
    co_await own;
  }

 private:
  /// The place of the loss.
  virtual LossPlacement loss() const = 0;
  WorkerGroups alone(const Plan& plan) const {
    WorkerGroups groups(Grouping::consecutive(plan.workers, 1), false);
    groups.scattered = loss();
    return groups;
  }
};

}  // namespace paceline
