// SPDX-License-Identifier: MIT
#include "training/aggregations/aggregation.hpp"

namespace paceline {
namespace {

/// **Does** every worker has the weights; gradients are summed among the workers.
/// **Bytes per worker** by the algorithm (ring: 2(P-1)/P n). **Source** docs/model.md.
class Allreduce final : public Aggregation {
 public:
  Choice<AllReduce> algorithm_key{"ring"};
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  int shards(int, int) const override { return 0; }
  bool replicas() const override { return true; }
  const AllReduce* all_reduce() const override { return algorithm_key.part().get(); }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    return all_reduce_worker(plan, *algorithm_key, backend, role);
  }
  static void describe(Description<Allreduce>& d) {
    d.optional("algorithm", &Allreduce::algorithm_key, "all-reduce algorithm");
    describe_travel(d);
  }
};

}  // namespace

Variant<Aggregation> allreduce_aggregation() {
  return variant<Allreduce, Aggregation>("allreduce", "the workers sum gradients among themselves");
}

}  // namespace paceline
