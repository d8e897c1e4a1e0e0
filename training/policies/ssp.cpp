// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** async, but a worker that has completed c mini-batches starts the next only when c less
/// the fewest completed by any is at most the slack; slack 0 is bulk-synchronous. **Time** slack 0:
/// E[X_{P:P}]/P an update; without bound: E[X]/P. **Staleness** bounded by the slack.
/// **Source** Ho et al., NIPS 2013.
class Ssp final : public UpdatePolicy {
 public:
  int slack = 3;
  Rule rule(int) const override {
    Rule rule;
    rule.current_only = false;
    rule.restart = Restart::contributors;
    rule.slack = slack;
    return rule;
  }
  static void describe(Description<Ssp>& d) {
    d.optional("slack", &Ssp::slack, "mini-batches that a worker may be ahead of the slowest")
        .at_least(0)
        .at_most(1'000'000);
  }
};

}  // namespace

Variant<UpdatePolicy> ssp_policy() {
  return variant<Ssp, UpdatePolicy>("ssp", "async, but nobody runs too far ahead of the slowest");
}

}  // namespace paceline
