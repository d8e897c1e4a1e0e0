// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Bulk-synchronous SGD: an update waits for one gradient of every worker.
class Sync final : public UpdatePolicy {
 public:
  int accumulate = 1;
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    rule.accumulate = accumulate;
    return rule;
  }
  bool takes_all_workers() const override { return true; }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    auto theory = first_k_then_restart(workers, workers.count());
    if (!theory || accumulate == 1) return theory;
    // Waiting after every mini-batch would take as often the slowest of P; delays of one worker
    // that even out make it less.
    theory->iteration = theory->iteration * accumulate;
    theory->bound = theory->bound || workers.by_chance();
    return theory;
  }
  std::vector<std::string> examples() const override { return {"", "accumulate: 8"}; }
  static void describe(Description<Sync>& d) {
    d.optional("accumulate", &Sync::accumulate,
               "mini-batches of each worker; their gradients are added up and sent once")
        .at_least(1)
        .at_most(20'000);
  }
};

}  // namespace

Variant<UpdatePolicy> sync_policy() {
  return variant<Sync, UpdatePolicy>("sync", "one gradient of every worker, then all continue");
}

}  // namespace paceline
