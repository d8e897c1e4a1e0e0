// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Replicas and shards that all go on independently (Dean et al., NIPS 2012).
class Downpour final : public UpdatePolicy {
 public:
  int push_every = 1;
  int fetch_every = 1;
  Rule rule(int) const override {
    Rule rule;
    rule.current_only = false;
    rule.restart = Restart::contributors;
    rule.exchange = {push_every, fetch_every};
    return rule;
  }
  /// Fetched weights arrive while a mini-batch is computed on those fetched before.
  bool computes_on_last_fetch() const override { return false; }
  std::optional<std::string> default_optimizer() const override { return "adagrad"; }
  std::optional<Theory> theory(const TimedWorkers& workers) const override {
    return every_k_mini_batches(workers, push_every);
  }
  std::vector<std::string> examples() const override { return {"push_every: 1", "push_every: 4"}; }
  static void describe(Description<Downpour>& d) {
    d.optional("push_every", &Downpour::push_every, "mini-batches per push of gradients")
        .at_least(1)
        .at_most(10'000);
    d.optional("fetch_every", &Downpour::fetch_every, "mini-batches per fetch of weights")
        .at_least(1)
        .at_most(10'000);
  }
};

}  // namespace

Variant<UpdatePolicy> downpour_policy() {
  return variant<Downpour, UpdatePolicy>("downpour",
                                         "replicas never wait; every shard updates on its own");
}

}  // namespace paceline
