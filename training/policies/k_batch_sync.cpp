// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** takes the first K mini-batches at the current version, whoever computed them: a worker
/// that finishes starts another at the same version; then the unfinished are cancelled and all
/// restart. **Time** K/(P mu) for exponential times, else at most E[X_{K:P}]. **Staleness** 0.
/// **Source** Dutta et al. 2018.
class KBatchSync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.goes_on = true;
    return rule;
  }
  static void describe(Description<KBatchSync>& d) {
    d.optional("k", &KBatchSync::k, "mini-batches in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_batch_sync_policy() {
  return variant<KBatchSync, UpdatePolicy>("k-batch-sync",
                                           "the first k mini-batches, whoever computed them");
}

}  // namespace paceline
