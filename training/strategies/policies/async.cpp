// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Every gradient is an update of its own; no worker waits for another.
class Async final : public UpdatePolicy {
 public:
  Rule rule(int) const override {
    Rule rule;
    rule.current_only = false;
    rule.restart = Restart::contributors;
    return rule;
  }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    return k_different_workers(workers, 1);
  }
  std::vector<std::string> examples() const override { return {""}; }
  static void describe(Description<Async>&) {}
};

}  // namespace

Variant<UpdatePolicy> async_policy() {
  return variant<Async, UpdatePolicy>("async", "every gradient is applied on arrival");
}

}  // namespace paceline
