// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Synchronous SGD with backup workers: an update takes the first K gradients, and the other P - K
/// mini-batches are cancelled.
class KSync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    return rule;
  }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    return first_k_then_restart(workers, k.of(workers.count()));
  }
  std::vector<std::string> examples() const override { return {"k: 1", "k: 4", "k: 8"}; }
  static void describe(Description<KSync>& d) {
    d.optional("k", &KSync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_sync_policy() {
  return variant<KSync, UpdatePolicy>("k-sync", "the first k workers; the others are cancelled");
}

}  // namespace paceline
