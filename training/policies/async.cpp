// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** applies each gradient as it comes; its worker alone fetches and goes on. **Time**
/// E[X]/P. **Staleness** P - 1 on average. **Source** Dean et al. 2012; Dutta et al. 2018.
class Async final : public UpdatePolicy {
 public:
  Rule rule(int) const override {
    Rule rule;
    rule.current_only = false;
    rule.restart = Restart::contributors;
    return rule;
  }
  static void describe(Description<Async>&) {}
};

}  // namespace

Variant<UpdatePolicy> async_policy() {
  return variant<Async, UpdatePolicy>("async", "every gradient is applied as it comes");
}

}  // namespace paceline
