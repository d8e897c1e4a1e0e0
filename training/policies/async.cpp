// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Nobody waits for anybody.
class Async final : public UpdatePolicy {
 public:
  Rule rule(int) const override {
    Rule rule;
    rule.current_only = false;
    rule.restart = Restart::contributors;
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does = "Every gradient is an update of its own, applied as it comes.";
    s.steps = {
        "A worker fetches the current weights and computes a mini-batch.",
        "Its gradient is applied as soon as it is accepted, whatever the version is by then.",
        "That worker alone fetches the new weights, which include its own gradient, and continues. "
        "No worker waits for another, and nothing is cancelled.",
        "The others do not notice a death. One living worker is enough.",
    };
    s.time = "E[T] = E[X]/P.";
    s.staleness = "P - 1 on average.";
    s.source =
        "Dean et al., NIPS 2012; Dutta, Joshi, Ghosh, Dube & Nagpurkar, AISTATS 2018, "
        "arXiv:1803.01113.";
    s.examples = {""};
    return s;
  }
  static void describe(Description<Async>&) {}
};

}  // namespace

Variant<UpdatePolicy> async_policy() {
  return variant<Async, UpdatePolicy>("async", "every gradient is applied on arrival");
}

}  // namespace paceline
