// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Async on a leash.
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
  Statement statement() const override {
    Statement s;
    s.does =
        "As async, but a worker that has completed c mini-batches starts the next only when c "
        "less the fewest completed by any living worker is at most the slack.";
    s.steps = {
        "Every gradient is applied as soon as it is accepted and counts as a completed mini-batch "
        "of its worker.",
        "If that worker is within the slack of the slowest, it fetches the new weights and "
        "continues at once.",
        "Otherwise it waits, idle. When the slowest completes a mini-batch, all workers that are "
        "within the slack again fetch the weights as they then are, and continue.",
        "Nothing is cancelled.",
        "The dead do not count among the slowest, so no worker waits for them. A replacement "
        "starts with the count of the slowest living worker, or its own if that is higher.",
    };
    s.time =
        "E[T] = E[X_{P:P}]/P with slack 0, and at most that with any slack; towards E[X]/P as the "
        "slack grows, if all workers are alike. Without chance the slowest worker sets the pace, "
        "whatever the slack.";
    s.staleness =
        "With slack 0 between 0 and P - 1, (P - 1)/2 on average. In general at most (P - 1)(2 "
        "slack + 1): while a worker is at one mini-batch, another completes at most 2 slack + 1.";
    s.source = "Ho et al., NIPS 2013.";
    s.examples = {"slack: 0", "slack: 3"};
    return s;
  }
  static void describe(Description<Ssp>& d) {
    d.optional("slack", &Ssp::slack, "mini-batches that a worker may be ahead of the slowest")
        .at_least(0)
        .at_most(1'000'000);
  }
};

}  // namespace

Variant<UpdatePolicy> ssp_policy() {
  return variant<Ssp, UpdatePolicy>("ssp",
                                    "async, but no worker runs too far ahead of the slowest");
}

}  // namespace paceline
