// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// K gradients of anyone, however stale.
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
  Statement statement() const override {
    Statement s;
    s.does = "K gradients of any workers, at any versions, make an update; no worker ever waits.";
    s.steps = {
        "A worker fetches the current weights and computes a mini-batch.",
        "Its gradient is added to the sum as soon as it is accepted, whatever its version. The "
        "worker fetches the current weights, which may be those that it has, and continues at "
        "once.",
        "When the K-th gradient is accepted, the mean of the K is applied; its worker fetches the "
        "new version. Several of the K may be of one worker.",
        "No worker waits for another, and nothing is cancelled.",
        "One living worker is enough: it may give all K gradients.",
    };
    s.time = "E[T] = K E[X]/P, for every X.";
    s.staleness = "(P - 1)/K on average.";
    s.source =
        "Dutta, Joshi, Ghosh, Dube & Nagpurkar, AISTATS 2018, arXiv:1803.01113; n-softsync of "
        "Zhang, Gupta, Lian & Liu, IJCAI 2016, with K = P/n.";
    s.examples = {"k: 1", "k: 4", "k: 8"};
    return s;
  }
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
