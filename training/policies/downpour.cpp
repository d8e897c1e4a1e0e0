// SPDX-License-Identifier: MIT
#include "training/policies/update_policy.hpp"

namespace paceline {
namespace {

/// Replicas and shards that all go on by themselves.
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
  Statement statement() const override {
    Statement s;
    s.does =
        "Replicas compute without waiting; pushes and fetches travel meanwhile, and every shard "
        "updates on its own.";
    s.steps = {
        "A replica asks every shard for weights and begins when the last has come.",
        "At the start of every `fetch_every`-th mini-batch it fetches again, unless an earlier "
        "fetch is still in flight. Weights that have arrived are adopted between two mini-batches.",
        "Gradients are added up in one of two accrual buffers. After `push_every` mini-batches "
        "that buffer is pushed to every shard while the other one fills. A replica waits only "
        "when both are busy: when some shard has not applied the push before.",
        "A shard applies the mean of a push as it comes, as an update of its own, whatever the "
        "other shards have seen. Versions and staleness count per shard; the updates, the "
        "staleness and the stop of a run are those of shard 0.",
        "With `fetch_every` above 1 a replica also applies each of its gradients to its own "
        "weights, until fetched ones replace them.",
        "Nothing is cancelled. After the last update of shard 0 the other shards still apply "
        "earlier pushes.",
        "Gradients pushed before a replica died count; gradients still accrued are lost. A "
        "replacement begins with a fetch. One living replica is enough.",
    };
    s.time = "E[T] = push_every E[X]/P.";
    s.staleness =
        "2P - 1 on average for push_every = fetch_every = 1 and free communication: weights are "
        "already a mini-batch old when one begins on them. Of a push, it is that of its oldest "
        "gradient.";
    s.source =
        "Dean et al., NIPS 2012, algorithm 7.1. The optimizer is Adagrad unless the file says "
        "otherwise, as there.";
    s.examples = {"push_every: 1", "push_every: 4"};
    return s;
  }
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
