// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Workers compute mini-batches at the same version until K gradients have arrived, several of one
/// worker among them.
class KBatchSync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.goes_on = true;
    return rule;
  }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    const int count = k.of(workers.count());
    if (workers.memoryless()) {
      auto theory = every_k_mini_batches(workers, count);
      if (theory) theory->staleness = 0;
      if (theory) theory->fresh = 1;
      if (theory) return theory;
    }
    // A worker that has just completed more mini-batches than others is less likely to be in a slow
    // spell, so the argument below fails.
    if (count > 1 && workers.x().shape().lasting) return std::nullopt;
    // The first K mini-batches of any workers end no later than the first K of different workers.
    auto theory = first_k_then_restart(workers, count);
    if (theory) theory->bound = count > 1;
    return theory;
  }
  std::vector<std::string> examples() const override { return {"k: 1", "k: 4", "k: 8"}; }
  static void describe(Description<KBatchSync>& d) {
    d.optional("k", &KBatchSync::k, "mini-batches in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_batch_sync_policy() {
  return variant<KBatchSync, UpdatePolicy>("k-batch-sync",
                                           "the first k mini-batches, from any workers");
}

}  // namespace paceline
