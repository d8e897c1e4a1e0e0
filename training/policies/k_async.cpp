// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// K gradients of K workers, however stale.
class KAsync final : public UpdatePolicy {
 public:
  CountOrShare k{0, 0.5};
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.current_only = false;
    rule.restart = Restart::contributors;
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does = "K gradients of K different workers, at any versions, make an update.";
    s.steps = {
        "A worker fetches the current weights and computes a mini-batch.",
        "Its gradient is accepted at any version. The worker then waits, idle, so no worker gives "
        "two.",
        "When the K-th gradient is accepted, the mean of the K is applied.",
        "Only those K workers fetch the new version and start their next mini-batches. The others "
        "continue with the weights that they have; nothing is cancelled.",
        "A gradient accepted before its worker died counts. An update needs K workers that live "
        "or have given theirs; with fewer, it waits for a replacement or, if there is none, the "
        "point fails.",
    };
    s.time =
        "E[T] = E[X_{K:P}] for exponential X and for K = P, E[X]/P for K = 1; otherwise at most "
        "E[X_{K:P}] where a new draw is no shorter than what is left of an old one.";
    s.staleness = "P/K - 1 on average.";
    s.source = "Dutta, Joshi, Ghosh, Dube & Nagpurkar, AISTATS 2018, arXiv:1803.01113.";
    s.examples = {"k: 1", "k: 4", "k: 8"};
    return s;
  }
  static void describe(Description<KAsync>& d) {
    d.optional("k", &KAsync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_async_policy() {
  return variant<KAsync, UpdatePolicy>("k-async", "k gradients of k workers, at any versions");
}

}  // namespace paceline
