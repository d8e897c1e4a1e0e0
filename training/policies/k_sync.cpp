// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Workers beyond the first K are backups.
class KSync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does =
        "The first K workers' gradients at the current version make an update; the others are "
        "cancelled.";
    s.steps = {
        "Every worker fetches the weights of the current version and computes one mini-batch.",
        "Gradients are accepted in the order in which they arrive. After its gradient is accepted, "
        "a worker waits, idle.",
        "When the K-th gradient is accepted, the mean of the K is applied.",
        "The mini-batches of the other P - K workers are cancelled. A gradient of theirs that "
        "still arrives is of an old version and is discarded.",
        "Every worker fetches the new version and starts another mini-batch, with a newly drawn "
        "delay.",
        "An update goes on without the dead while K workers live or have given their gradient; "
        "with fewer, it waits for a replacement or, if there is none, the point fails.",
    };
    s.time = "E[T] = E[X_{K:P}].";
    s.staleness = "0.";
    s.source =
        "Backup workers: Chen, Pan, Monga, Bengio & Jozefowicz, arXiv:1604.00981; Dutta, Joshi, "
        "Ghosh, Dube & Nagpurkar, AISTATS 2018, arXiv:1803.01113.";
    s.examples = {"k: 1", "k: 4", "k: 8"};
    return s;
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
