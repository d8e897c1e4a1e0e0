// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Weights, not gradients, are averaged.
class LocalSgd final : public UpdatePolicy {
 public:
  int every = 8;
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    rule.local_steps = every;
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does =
        "Every worker updates weights of its own for `every` mini-batches, then all average them.";
    s.steps = {
        "Every worker fetches the current weights.",
        "It computes `every` mini-batches and applies each gradient to its own weights at once. "
        "Its optimizer keeps its state, such as a velocity, from one average to the next.",
        "It pushes its weights, not a gradient, and waits, idle.",
        "When all P are there, their mean is the new version, which every worker adopts. Nothing "
        "is cancelled.",
        "A worker that dies is missed, with all its steps since the last average: the average "
        "waits for its replacement. If there is none, the point fails.",
    };
    s.time =
        "Between two averages at most `every` x E[X_{P:P}]: the delays of a worker even out over "
        "its mini-batches. Exactly that for every = 1 and without chance.";
    s.staleness = "0: a gradient is applied to the very weights that it was computed at.";
    s.source = "Stich, ICLR 2019; McDonald, Hall & Mann, NAACL 2010.";
    s.examples = {"every: 1", "every: 8"};
    return s;
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
                                         "workers train alone and average weights at intervals");
}

}  // namespace paceline
