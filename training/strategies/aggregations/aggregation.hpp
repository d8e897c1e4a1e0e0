// SPDX-License-Identifier: MIT
/// \file
/// How gradients become new weights: through parameter servers, among the workers, or not at all.
/// An aggregation states its roles and their devices, the policies that it serves, and the program
/// of each role.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/family.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/collectives/all_reduce.hpp"
#include "training/strategies/plan.hpp"
#include "training/strategies/variable_shards.hpp"
#include "training/workload/placement.hpp"

namespace paceline {

/// An aggregation with its keys.
class Aggregation {
 public:
  virtual ~Aggregation() = default;
  /// The number of server roles for `workers` workers on `hosts` hosts: processes, or computers.
  virtual int shards(int workers, int hosts) const = 0;
  virtual ServerPlacement placement() const { return ServerPlacement::cpu; }
  /// Variables that are elsewhere.
  virtual VariablePlaces variables() const { return {}; }
  /// How GPUs that share the variables divide them.
  virtual Division division() const { return Division::equal; }
  /// Whether workers keep weights of their own that they update themselves.
  virtual bool replicas() const = 0;
  /// Whether the programs carry out the policy's rule.
  virtual bool serves(const UpdatePolicy& policy) const = 0;
  /// Whether training goes on without a worker that has died: the weights are on servers.
  virtual bool survives_deaths() const { return false; }
  /// Whether workers exchange gradients or weights. If not, each worker makes its own updates.
  virtual bool exchanges() const { return true; }
  /// Whether workers begin a mini-batch before all of the model has the version that it follows.
  virtual bool runs_ahead() const { return false; }
  /// Whether the batch lies with a server, which scatters it.
  virtual bool scatters() const { return false; }
  /// The part of that batch that a worker gets, and from where.
  virtual InputsOfWorkers inputs() const { return InputsOfWorkers::scattered; }
  /// Whether several workers sum before one of them pushes, so that no server knows how long each
  /// waits for the others.
  virtual bool sums_in_groups(const Plan& /*plan*/) const { return false; }
  /// Whether its programs know no checkpoints.
  virtual bool trains_only() const { return false; }
  /// Of those with servers: whether a worker exchanges with them itself.
  virtual bool talks_to_servers(const Plan& /*plan*/, RoleId /*worker*/) const { return true; }
  /// The all-reduce, or null.
  virtual const AllReduce* all_reduce() const { return nullptr; }
  /// The collective of the workers; null where they need none, or a library has it.
  virtual SharedSchedule schedule(const Plan& plan) const;
  /// Gradients travel while backward goes on, in buckets of at least this size.
  virtual bool overlap() const { return false; }
  virtual Bytes bucket() const { return {}; }
  /// The same of the first bucket to travel; 0: as the others.
  virtual Bytes first_bucket() const { return {}; }
  /// Whether a worker fetches the weights of a mini-batch in a random order.
  virtual bool fetches_at_random() const { return false; }
  /// The form in which gradients travel, and whether of embeddings only the rows do that a
  /// mini-batch touches.
  virtual GradientCodec codec() const { return {}; }
  virtual bool sparse() const { return false; }
  /// The buffers that the program of a worker or a server uses.
  virtual RoleBuffers buffers(const Plan& plan, RoleId role) const = 0;
  /// Whether a message to a role, received from another process, is one that the role's program can
  /// take: of a kind that is sent to it, its indices in range.
  virtual bool is_sound(const Plan& /*plan*/, RoleId /*to*/, const Message&) const { return false; }
  /// Whether all workers run one program, which depends on nothing but the ends of its operations:
  /// a machine may run it once for all of them.
  virtual bool runs_alike(const Plan& /*plan*/) const { return false; }
  /// The program of a role. The aggregation, `plan` and `backend` must outlive it.
  virtual Task<> program(const Plan& plan, Backend& backend, RoleId role) const = 0;
};

const Family<Aggregation>& table_of(const Aggregation*);
Variant<Aggregation> parameter_server_aggregation();
Variant<Aggregation> allreduce_aggregation();
Variant<Aggregation> replicated_aggregation();
Variant<Aggregation> distributed_replicated_aggregation();
Variant<Aggregation> peer_to_peer_aggregation();
Variant<Aggregation> gather_aggregation();
Variant<Aggregation> concatenated_aggregation();
Variant<Aggregation> independent_aggregation();

/// The buffers of a role, those of its input included.
RoleBuffers buffers_of_role(const Aggregation& aggregation, const Plan& plan, RoleId role);

/// The buffers of all roles, or of those that `process` runs.
BufferPlan buffers_of(const Aggregation& aggregation, const Plan& plan,
                      std::optional<int> process = {});

/// The names of the update policies that an aggregation serves, each with its default keys, in the
/// order of their table: the legal pairs, for tests that run over all of them.
std::vector<std::string> updates_served(const Aggregation& aggregation);
/// The update policy where the experiment file names none: the first of `updates_served`. Empty
/// where the aggregation serves none.
std::optional<Choice<UpdatePolicy>> default_update(const Aggregation& aggregation);

/// The key `divide`.
inline constexpr const char* kDivideHelp =
    "how the GPUs of sharded-gpus share the variables: equal parts, each layer's on the GPU that "
    "has the fewest (the variables of tf_cnn_benchmarks), or one after another in turn (its sums)";
/// Why it is refused where the servers are not the GPUs.
inline std::string unfit_divide() {
  return "'divide' is for placement sharded-gpus";
}
/// The key `staged`.
inline constexpr const char* kStagedHelp =
    "compute on the weights of the update before, while the current ones arrive";

/// The key `sparse`.
inline constexpr const char* kSparseHelp =
    "of embeddings' gradients only the rows travel that a mini-batch touches";

/// The key `first_bucket` of an aggregation that sends gradients as a library for all-reduces does.
inline constexpr const char* kFirstBucketHelp =
    "the same of the first bucket, which holds the last layers (default: that of `software`, or as "
    "`bucket`)";

/// The keys `overlap` and `bucket` of an aggregation that can send gradients during the backward
/// pass. 25 MiB is the default bucket of PyTorch DDP (Li et al., VLDB 2020).
template <class Kind>
void describe_travel(Description<Kind>& d) {
  d.optional("overlap", &Kind::overlap_key, "send gradients during the backward pass");
  d.optional("bucket", &Kind::bucket_key, "gradients are sent in buckets of at least this size")
      .above(Bytes{0});
}

}  // namespace paceline
