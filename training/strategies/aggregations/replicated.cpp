// SPDX-License-Identifier: MIT
#include "training/aggregations/aggregation.hpp"
#include "training/strategies/parameter_server.hpp"

namespace paceline {
namespace {

/// **Does** every worker has the weights; gradients are summed at one place, every worker fetches
/// the sum and updates its own copy. **Bytes per worker** n up, n down.
/// **Source** TensorFlow's variable_update=replicated without NCCL.
class Replicated final : public Aggregation {
 public:
  Placement placement_key = Placement::cpu;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  int shards(int workers, int processes) const override {
    if (placement_key == Placement::hosts) return processes;
    return placement_key == Placement::sharded_gpus ? workers : 1;
  }
  Placement placement() const override { return placement_key; }
  bool replicas() const override { return true; }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    if (role < plan.workers) return parameter_server_worker(plan, backend, role, links_apart());
    return parameter_server_shard(plan, backend, role - plan.workers);
  }
  bool links_apart() const { return placement_key == Placement::sharded_gpus; }
  static void describe(Description<Replicated>& d) {
    d.optional("placement", &Replicated::placement_key, "where the gradients are summed");
    describe_travel(d);
  }
};

}  // namespace

Variant<Aggregation> replicated_aggregation() {
  return variant<Replicated, Aggregation>(
      "replicated", "gradients are summed at one place, every worker updates");
}

}  // namespace paceline
