// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** takes the first K workers' gradients at the current version, cancels the others; all
/// restart. **Time** E[X_{K:P}]. **Staleness** 0. **Source** backup workers, Chen et al. 2016;
/// Dutta et al. 2018.
class KSync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    return rule;
  }
  static void describe(Description<KSync>& d) {
    d.optional("k", &KSync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_sync_policy() {
  return variant<KSync, UpdatePolicy>("k-sync", "the first k workers; the others are cancelled");
}

}  // namespace paceline
