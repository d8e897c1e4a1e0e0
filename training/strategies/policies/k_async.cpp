// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// An update takes K gradients of K different workers, at any versions.
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
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    return k_different_workers(workers, k.of(workers.count()));
  }
  std::vector<std::string> examples() const override { return {"k: 1", "k: 4", "k: 8"}; }
  static void describe(Description<KAsync>& d) {
    d.optional("k", &KAsync::k, "gradients in an update: a count or a share of the workers");
  }
};

}  // namespace

Variant<UpdatePolicy> k_async_policy() {
  return variant<KAsync, UpdatePolicy>("k-async", "k gradients of k workers, at any versions");
}

}  // namespace paceline
