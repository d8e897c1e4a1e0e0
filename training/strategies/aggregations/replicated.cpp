// SPDX-License-Identifier: MIT
#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/parameter_server.hpp"

namespace paceline {
namespace {

/// Every worker has the weights; servers sum the gradients, and every worker fetches the sum and
/// updates its own weights. Bytes per worker: n sent and n received. After TensorFlow's
/// variable_update=replicated without NCCL.
class Replicated final : public Aggregation {
 public:
  ServerPlacement placement_key = ServerPlacement::cpu;
  Division divide_key = Division::equal;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  int shards(int workers, int processes) const override {
    if (placement_key == ServerPlacement::hosts) return processes;
    return placement_key == ServerPlacement::sharded_gpus ? workers : 1;
  }
  ServerPlacement placement() const override { return placement_key; }
  Division division() const override { return divide_key; }
  bool replicas() const override { return true; }
  bool serves(const UpdatePolicy& policy) const override { return policy.takes_all_workers(); }
  /// A worker begins its next mini-batch after its own update; the other workers update later.
  bool runs_ahead() const override { return true; }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  RoleBuffers buffers(const Plan& plan, RoleId role) const override {
    return parameter_server_buffers(plan, role);
  }
  bool is_sound(const Plan& plan, RoleId to, const Message& message) const override {
    return is_parameter_server_message(plan, to, message);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    if (role < plan.workers) return parameter_server_worker(plan, backend, role);
    return parameter_server_shard(plan, backend, role - plan.workers);
  }
  std::string invalid() const {
    if (divide_key == Division::equal || placement_key == ServerPlacement::sharded_gpus) return "";
    return unfit_divide();
  }
  static void describe(Description<Replicated>& d) {
    d.optional("placement", &Replicated::placement_key, "where the gradients are summed");
    d.optional("divide", &Replicated::divide_key, kDivideHelp);
    describe_travel(d);
  }
};

}  // namespace

Variant<Aggregation> replicated_aggregation() {
  return variant<Replicated, Aggregation>(
      "replicated", "gradients are summed at one place, every worker updates");
}

}  // namespace paceline
