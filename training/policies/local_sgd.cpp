// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** every worker updates weights of its own for H mini-batches, then all average them.
/// **Time** at most H E[X_{P:P}] a round of averaging: delays of a worker even out over its H
/// mini-batches. **Staleness** none: nobody's gradient meets other weights than its own.
/// **Source** Stich, ICLR 2019; McDonald et al. 2010.
class LocalSgd final : public UpdatePolicy {
 public:
  int every = 8;
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    rule.local_steps = every;
    return rule;
  }
  static void describe(Description<LocalSgd>& d) {
    d.optional("every", &LocalSgd::every, "mini-batches between two averages of the weights")
        .at_least(1)
        .at_most(1000);
  }
};

}  // namespace

Variant<UpdatePolicy> local_sgd_policy() {
  return variant<LocalSgd, UpdatePolicy>("local-sgd",
                                         "workers train alone and average now and then");
}

}  // namespace paceline
