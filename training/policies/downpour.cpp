// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// **Does** every replica computes without ever waiting: it pushes the gradients it has accrued
/// every n mini-batches and adopts the weights that it last asked for; every shard updates on its
/// own, in the order in which pushes reach it. **Time** n E[X]/P an update of a shard.
/// **Staleness** 2P - 1 on average for push_every = fetch_every = 1: weights are a mini-batch old
/// when one begins on them. **Source** Dean et al., NIPS 2012, algorithm 7.1.
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
  static void describe(Description<Downpour>& d) {
    d.optional("push_every", &Downpour::push_every, "mini-batches whose gradients travel together")
        .at_least(1)
        .at_most(10'000);
    d.optional("fetch_every", &Downpour::fetch_every, "mini-batches between two fetches of weights")
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
