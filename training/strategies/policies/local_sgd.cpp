// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Workers update weights of their own and average them at intervals.
class LocalSgd final : public UpdatePolicy {
 public:
  int every = 8;
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = workers;
    rule.local_steps = every;
    return rule;
  }
  bool takes_all_workers() const override { return true; }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    const auto slowest = workers.first(workers.count());
    if (!slowest) return std::nullopt;
    // Waiting after every mini-batch would take H times the slowest of P; delays of one worker that
    // even out make it less.
    return Theory{.iteration = *slowest * every, .bound = every > 1 && workers.by_chance()};
  }
  std::vector<std::string> examples() const override { return {"every: 1", "every: 8"}; }
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
