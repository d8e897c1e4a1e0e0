// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** takes K gradients from anyone at whatever versions; a worker pushes, fetches the
/// current weights and goes on at once. **Time** K E[X]/P, whatever the distribution.
/// **Staleness** (P - 1)/K on average. **Source** Dutta et al. 2018; n-softsync of Zhang et al.
/// 2016 with K = P/n.
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
  static void describe(Description<KBatchAsync>& d) {
    d.optional("k", &KBatchAsync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_batch_async_policy() {
  return variant<KBatchAsync, UpdatePolicy>("k-batch-async",
                                            "k gradients from anyone, nobody ever waits");
}

}  // namespace paceline
