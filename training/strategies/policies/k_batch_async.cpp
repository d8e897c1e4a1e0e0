// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// An update takes K gradients of any workers, at any versions; no worker waits.
class KBatchAsync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.current_only = false;
    rule.restart = Restart::contributors;
    rule.goes_on = true;
    return rule;
  }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    const int count = k.of(workers.count());
    auto theory = every_k_mini_batches(workers, count);
    // At every update all workers but one age by one, and K gradients are applied.
    if (theory) theory->staleness = (workers.count() - 1.0) / count;
    return theory;
  }
  std::vector<std::string> examples() const override { return {"k: 1", "k: 4", "k: 8"}; }
  static void describe(Description<KBatchAsync>& d) {
    d.optional("k", &KBatchAsync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_batch_async_policy() {
  return variant<KBatchAsync, UpdatePolicy>("k-batch-async",
                                            "k gradients from any workers; no worker ever waits");
}

}  // namespace paceline
