// SPDX-License-Identifier: MIT
#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/distributed_replicated.hpp"

namespace paceline {
namespace {

/// Everything is on the first GPU: the batch, the weights, the sum of the gradients and, by
/// default, the loss. Bytes between it and each other GPU: n of weights and the inputs there, n of
/// gradients and the outputs back, and the outputs' gradients there.
class Gather final : public Aggregation {
 public:
  LossPlacement loss_key = LossPlacement::first_gpu;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  int shards(int, int) const override { return 1; }
  ServerPlacement placement() const override { return ServerPlacement::gpu; }
  bool replicas() const override { return false; }
  bool serves(const UpdatePolicy& policy) const override {
    return policy.takes_all_workers() && policy.rule(1).local_steps == 1;
  }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
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
  static void describe(Description<Gather>& d) {
    d.optional("loss", &Gather::loss_key, "GPUs that compute the loss");
    describe_travel(d);
  }

 private:
  WorkerGroups alone(const Plan& plan) const {
    WorkerGroups groups(plan.workers, 1, false);
    groups.scattered = loss_key;
    return groups;
  }
};

}  // namespace

Variant<Aggregation> gather_aggregation() {
  return variant<Gather, Aggregation>(
      "gather", "the first GPU scatters the batch and the weights and gathers the gradients");
}

}  // namespace paceline
