// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Bulk-synchronous SGD: an update waits for one gradient of every worker.
class Sync final : public UpdatePolicy {
 public:
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    return rule;
  }
  bool takes_all_workers() const override { return true; }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    return first_k_then_restart(workers, workers.count());
  }
  std::vector<std::string> examples() const override { return {""}; }
  static void describe(Description<Sync>&) {}
};

}  // namespace

Variant<UpdatePolicy> sync_policy() {
  return variant<Sync, UpdatePolicy>("sync", "one gradient of every worker, then all continue");
}

}  // namespace paceline
