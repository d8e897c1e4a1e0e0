// SPDX-License-Identifier: MIT
/// \file
/// How gradients become new weights: through parameter servers, among the workers, or not at all.
/// An aggregation says which roles there are, where they stand and what program each runs.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "experiments/family.hpp"
#include "training/roles/task.hpp"
#include "training/strategies/all_reduce.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// Where the servers stand.
enum class Placement { cpu, gpu, sharded_gpus, hosts };
std::span<const EnumName<Placement>> enum_names(const Placement*);

class Aggregation {
 public:
  virtual ~Aggregation() = default;
  /// Server roles for so many workers, which so many processes run.
  virtual int shards(int workers, int processes) const = 0;
  virtual Placement placement() const { return Placement::cpu; }
  /// Whether workers keep weights of their own that they update themselves.
  virtual bool replicas() const = 0;
  /// The all-reduce, or null.
  virtual const AllReduce* all_reduce() const { return nullptr; }
  /// Gradients travel while backward goes on, in buckets of at least this size.
  virtual bool overlap() const { return false; }
  virtual Bytes bucket() const { return {}; }
  /// The program of a role.
  virtual Task<> program(const Plan& plan, Backend& backend, RoleId role) const = 0;
};

const Family<Aggregation>& table_of(const Aggregation*);
Variant<Aggregation> parameter_server_aggregation();
Variant<Aggregation> allreduce_aggregation();
Variant<Aggregation> replicated_aggregation();
Variant<Aggregation> independent_aggregation();

/// The update policies that an aggregation serves, by name; data, so that tests run over every
/// pair. `independent` serves none: each worker keeps its own clock and weights.
const std::vector<std::string>& updates_served(const std::string& aggregation);

/// The keys `overlap` and `bucket`, of an aggregation whose gradients can travel early. 25 MiB is
/// PyTorch DDP's default bucket (Li et al., VLDB 2020).
template <class Kind>
void describe_travel(Description<Kind>& d) {
  d.optional("overlap", &Kind::overlap_key, "send gradients during the backward pass");
  d.optional("bucket", &Kind::bucket_key, "gradients are sent in buckets of at least this size")
      .above(Bytes{0});
}

}  // namespace paceline
