// SPDX-License-Identifier: MIT
#include "training/strategies/parameter_server.hpp"

#include <algorithm>

#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/compressions/compression.hpp"
#include "training/strategies/distributed_replicated.hpp"
#include "training/strategies/downpour.hpp"

namespace paceline {
namespace {

/// The order in which a worker fetches the weights of its next mini-batch.
enum class FetchOrder : std::uint8_t { by_layer, random };
std::span<const EnumName<FetchOrder>> enum_names(const FetchOrder*) {
  static constexpr EnumName<FetchOrder> kNames[] = {{"by-layer", FetchOrder::by_layer},
                                                    {"random", FetchOrder::random}};
  return kNames;
}

/// Servers hold the weights; workers push gradients and fetch weights. Bytes per worker: n sent and
/// n received (n = bytes of the gradient), divided over the shards. After Dean et al., NIPS 2012,
/// and TensorFlow's variable_update=parameter_server.
class ParameterServer final : public Aggregation {
 public:
  ServerPlacement placement_key = ServerPlacement::cpu;
  VariablePlaces variables_key;
  Division divide_key = Division::equal;
  int shards_key = 1;
  int group_key = 1;
  bool staged_key = false;
  Choice<Compression> compression_key{"none"};
  bool sparse_key = false;
  FetchOrder fetch_key = FetchOrder::by_layer;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  int shards(int workers, int processes) const override {
    if (placement_key == ServerPlacement::hosts) return processes;
    return placement_key == ServerPlacement::sharded_gpus ? workers : shards_key;
  }
  ServerPlacement placement() const override { return placement_key; }
  VariablePlaces variables() const override { return variables_key; }
  Division division() const override { return divide_key; }
  bool replicas() const override { return false; }
  bool serves(const UpdatePolicy& policy) const override {
    const Rule rule = policy.rule(1);
    // gradients are encoded, neither weights nor what several mini-batches accrue
    const bool gradients = rule.local_steps == 1 && rule.exchange.push_every == 0;
    if ((codec() || sparse_key) && !gradients) return false;
    if (staged_key && rule.local_steps > 1) return false;
    if (fetches_at_random() && rule.exchange.push_every > 0) return false;
    return !grouped() || policy.takes_all_workers();
  }
  bool survives_deaths() const override { return !grouped(); }
  bool runs_ahead() const override { return staged_key; }
  GradientCodec codec() const override { return compression_key->codec(); }
  bool sparse() const override { return sparse_key; }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  bool fetches_at_random() const override { return fetch_key == FetchOrder::random; }
  bool sums_in_groups(const Plan& plan) const override {
    return group_key > 1 && groups(plan).sums();
  }
  RoleBuffers buffers(const Plan& plan, RoleId role) const override {
    if (grouped()) return grouped_buffers(plan, groups(plan), role);
    return is_downpour(plan) ? downpour_buffers(plan, role) : parameter_server_buffers(plan, role);
  }
  bool is_sound(const Plan& plan, RoleId to, const Message& message) const override {
    if (grouped()) return is_grouped_message(plan, to, message);
    return is_downpour(plan) ? is_downpour_message(plan, to, message)
                             : is_parameter_server_message(plan, to, message);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    return grouped() ? in_groups(plan, backend, role) : each(plan, backend, role);
  }
  Task<> each(const Plan& plan, Backend& backend, RoleId role) const {
    const int shard = role - plan.workers;
    if (is_downpour(plan)) {
      return shard < 0 ? downpour_replica(plan, backend, role)
                       : downpour_shard(plan, backend, shard);
    }
    return shard < 0 ? parameter_server_worker(plan, backend, role)
                     : parameter_server_shard(plan, backend, shard);
  }
  bool grouped() const { return staged_key || group_key > 1; }
  WorkerGroups groups(const Plan& plan) const {
    WorkerGroups all(Grouping::by_host(plan, group_key), staged_key);
    all.each_fetches = group_key > 1;
    return all;
  }
  Task<> in_groups(const Plan& plan, Backend& backend, RoleId role) const {
    const WorkerGroups all = groups(plan);
    const Task<> own = role < plan.workers ? grouped_worker(plan, all, backend, role)
                                           : grouped_shard(plan, all, backend, role - plan.workers);
    co_await own;
  }
  std::string invalid() const {
    if (staged_key && group_key > 1)
      return "'gpus_per_worker' and 'staged' go together in distributed-replicated only";
    if (grouped() && (codec() || sparse_key))
      return "'compression' and 'sparse' are for servers without 'staged' and 'gpus_per_worker'";
    if (grouped() && fetches_at_random())
      return "'fetch: random' is for servers without 'staged' and 'gpus_per_worker'";
    const auto on_hosts = [](const auto& place) { return place.second == ServerPlacement::hosts; };
    if (!variables_key.empty() &&
        (placement_key == ServerPlacement::hosts || std::ranges::any_of(variables_key, on_hosts)))
      return "variables are on cpu, gpu or sharded-gpus";
    const auto shared = [](const auto& place) {
      return place.second == ServerPlacement::sharded_gpus;
    };
    if (divide_key != Division::equal && placement_key != ServerPlacement::sharded_gpus &&
        std::ranges::none_of(variables_key, shared))
      return unfit_divide();
    if (placement_key == ServerPlacement::cpu || shards_key == 1) return "";
    return "'shards' is for placement cpu only (gpu has one, sharded-gpus one per worker, hosts "
           "one per process)";
  }
  static bool is_downpour(const Plan& plan) { return plan.rule.exchange.push_every > 0; }
  static void describe(Description<ParameterServer>& d) {
    d.optional("placement", &ParameterServer::placement_key, "devices that run the servers");
    d.optional("variables", &ParameterServer::variables_key,
               "devices of single layers' variables, by name or kind: {embedding: cpu}");
    d.optional("divide", &ParameterServer::divide_key, kDivideHelp);
    d.optional("shards", &ParameterServer::shards_key,
               "servers on the CPU, over its sockets in turn")
        .at_least(1)
        .at_most(64);
    d.optional("gpus_per_worker", &ParameterServer::group_key,
               "workers that sum before the first of them pushes; each fetches its own weights")
        .at_least(1);
    d.optional("staged", &ParameterServer::staged_key, kStagedHelp);
    d.optional("compression", &ParameterServer::compression_key, kCompressionHelp);
    d.optional("sparse", &ParameterServer::sparse_key, kSparseHelp);
    d.optional("fetch", &ParameterServer::fetch_key,
               "order in which a worker fetches weights: as its layers need them, or random, as "
               "TensorFlow 1 does");
    describe_travel(d);
  }
};

}  // namespace

Variant<Aggregation> parameter_server_aggregation() {
  return variant<ParameterServer, Aggregation>("parameter-server",
                                               "servers hold the weights, workers push and fetch");
}

}  // namespace paceline
