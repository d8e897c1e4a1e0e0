// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** one gradient of each worker at the current version; nobody goes on before all are
/// there.
/// **Time** E[X_{P:P}]. **Staleness** 0. **Source** bulk-synchronous SGD; Dutta et al. 2018.
class Sync final : public UpdatePolicy {
 public:
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    return rule;
  }
  static void describe(Description<Sync>&) {}
};

}  // namespace

Variant<UpdatePolicy> sync_policy() {
  return variant<Sync, UpdatePolicy>("sync", "one gradient of every worker, then all go on");
}

}  // namespace paceline
