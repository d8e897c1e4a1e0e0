// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Bulk-synchronous training.
class Sync final : public UpdatePolicy {
 public:
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does = "One gradient of every worker, computed at the current version, makes an update.";
    s.steps = {
        "Every worker fetches the weights of the current version and computes one mini-batch.",
        "After its gradient has arrived, a worker waits, idle.",
        "When the P-th gradient is accepted, the mean of the P is applied.",
        "Every worker fetches the new version and starts its next mini-batch. Nothing is ever "
        "cancelled.",
        "A worker that dies is missed: the update waits for its replacement. If there is none, "
        "the point fails.",
    };
    s.time = "E[T] = E[X_{P:P}], the slowest of P.";
    s.staleness = "0.";
    s.source =
        "Bulk-synchronous SGD; Dutta, Joshi, Ghosh, Dube & Nagpurkar, AISTATS 2018, "
        "arXiv:1803.01113.";
    s.examples = {""};
    return s;
  }
  static void describe(Description<Sync>&) {}
};

}  // namespace

Variant<UpdatePolicy> sync_policy() {
  return variant<Sync, UpdatePolicy>("sync", "one gradient of every worker, then all continue");
}

}  // namespace paceline
