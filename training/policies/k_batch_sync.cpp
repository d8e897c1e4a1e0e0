// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Workers go on at the same version.
class KBatchSync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.goes_on = true;
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does = "The first K mini-batches at the current version make an update, from any workers.";
    s.steps = {
        "Every worker fetches the weights of the current version and computes a mini-batch.",
        "A gradient that is accepted is added to the sum at once. As soon as every shard has "
        "added it, its worker starts another mini-batch at the same version, without a fetch.",
        "When the K-th gradient is accepted, the mean of the K is applied.",
        "Every mini-batch under way is cancelled. A gradient that still arrives is of an old "
        "version and is discarded.",
        "Every worker fetches the new version and starts its next mini-batch.",
        "One living worker is enough: it may give all K gradients.",
    };
    s.time =
        "E[T] = K E[X]/P for exponential X; otherwise at most E[X_{K:P}], and equal to it for K = "
        "1.";
    s.staleness = "0.";
    s.source = "Dutta, Joshi, Ghosh, Dube & Nagpurkar, AISTATS 2018, arXiv:1803.01113.";
    s.examples = {"k: 1", "k: 4", "k: 8"};
    return s;
  }
  static void describe(Description<KBatchSync>& d) {
    d.optional("k", &KBatchSync::k, "mini-batches in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_batch_sync_policy() {
  return variant<KBatchSync, UpdatePolicy>("k-batch-sync",
                                           "the first k mini-batches, from any workers");
}

}  // namespace paceline
