// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** takes K gradients of K different workers at whatever versions; nobody is cancelled;
/// only those K fetch, having waited for the K-th. **Time** (H_P - H_{P-K})/mu for exponential
/// times, else at most E[X_{K:P}] where old is better than new. **Staleness** P/K - 1 on average.
/// **Source** Dutta et al. 2018.
class KAsync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.current_only = false;
    rule.restart = Restart::contributors;
    return rule;
  }
  static void describe(Description<KAsync>& d) {
    d.optional("k", &KAsync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_async_policy() {
  return variant<KAsync, UpdatePolicy>("k-async", "k gradients of k workers, at whatever versions");
}

}  // namespace paceline
