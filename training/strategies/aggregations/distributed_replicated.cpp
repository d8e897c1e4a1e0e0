// SPDX-License-Identifier: MIT
#include "training/strategies/distributed_replicated.hpp"

#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {
namespace {

/// Groups of workers sum their gradients before one of them pushes. Bytes between a group and the
/// servers: n sent and n received; within it n of each to all workers but the first.
class DistributedReplicated final : public Aggregation {
 public:
  ServerPlacement placement_key = ServerPlacement::cpu;
  int shards_key = 1;
  std::optional<int> group_key;
  bool staged_key = false;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  int shards(int workers, int processes) const override {
    if (placement_key == ServerPlacement::hosts) return processes;
    return placement_key == ServerPlacement::sharded_gpus ? workers : shards_key;
  }
  ServerPlacement placement() const override { return placement_key; }
  bool replicas() const override { return false; }
  bool serves(const UpdatePolicy& policy) const override {
    return policy.takes_all_workers() && !(staged_key && policy.rule(1).local_steps > 1);
  }
  bool runs_ahead() const override { return staged_key; }
  bool sums_in_groups(const Plan& plan) const override { return groups(plan).sums(); }
  bool talks_to_servers(const Plan& plan, RoleId worker) const override {
    return groups(plan).is_first(worker);
  }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  RoleBuffers buffers(const Plan& plan, RoleId role) const override {
    return grouped_buffers(plan, groups(plan), role);
  }
  bool is_sound(const Plan& plan, RoleId to, const Message& message) const override {
    return is_grouped_message(plan, to, message);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    const WorkerGroups all = groups(plan);
    const Task<> own = role < plan.workers ? grouped_worker(plan, all, backend, role)
                                           : grouped_shard(plan, all, backend, role - plan.workers);
    co_await own;
  }
  std::string invalid() const {
    if (placement_key == ServerPlacement::cpu || shards_key == 1) return "";
    return "'shards' is for placement cpu only (gpu has one, sharded-gpus one per worker, hosts "
           "one per process)";
  }
  static void describe(Description<DistributedReplicated>& d) {
    d.optional("placement", &DistributedReplicated::placement_key, "devices that run the servers");
    d.optional("shards", &DistributedReplicated::shards_key,
               "servers on the CPU, over its sockets in turn")
        .at_least(1)
        .at_most(64);
    d.optional("gpus_per_worker", &DistributedReplicated::group_key,
               "workers that sum before one of them pushes, taken computer by computer; default: "
               "those of a computer or process, else all")
        .at_least(1);
    d.optional("staged", &DistributedReplicated::staged_key, kStagedHelp);
    describe_travel(d);
  }

 private:
  WorkerGroups groups(const Plan& plan) const {
    return {group_key ? Grouping::by_host(plan, *group_key) : Grouping::by_host(plan), staged_key};
  }
};

}  // namespace

Variant<Aggregation> distributed_replicated_aggregation() {
  return variant<DistributedReplicated, Aggregation>(
      "distributed-replicated", "groups sum their gradients, then push; servers update");
}

}  // namespace paceline
