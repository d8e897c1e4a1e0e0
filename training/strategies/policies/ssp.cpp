// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Stale-synchronous parallel: async, but a worker waits while it is more than `slack` mini-batches
/// ahead of the slowest.
class Ssp final : public UpdatePolicy {
 public:
  int slack = 3;
  Rule rule(int) const override {
    Rule rule;
    rule.current_only = false;
    rule.restart = Restart::contributors;
    rule.slack = slack;
    return rule;
  }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    const auto slowest = workers.first(workers.count());
    if (!slowest) return std::nullopt;
    // With the same draws, every mini-batch begins no later than with a smaller slack. Without
    // chance the slowest worker sets the pace, whatever the slack.
    return Theory{.iteration = *slowest / workers.count(),
                  .bound = slack > 0 && workers.by_chance()};
  }
  std::vector<std::string> examples() const override { return {"slack: 0", "slack: 3"}; }
  static void describe(Description<Ssp>& d) {
    d.optional("slack", &Ssp::slack, "mini-batches that a worker may be ahead of the slowest")
        .at_least(0)
        .at_most(1'000'000);
  }
};

}  // namespace

Variant<UpdatePolicy> ssp_policy() {
  return variant<Ssp, UpdatePolicy>("ssp",
                                    "async, but no worker runs too far ahead of the slowest");
}

}  // namespace paceline
