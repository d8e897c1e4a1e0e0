// SPDX-License-Identifier: MIT
#include "training/strategies/adapted_k.hpp"

namespace paceline {
namespace {

enum class Base { k_async, k_batch_async };
std::span<const EnumName<Base>> enum_names(const Base*) {
  static constexpr EnumName<Base> kNames[] = {{"k-async", Base::k_async},
                                              {"k-batch-async", Base::k_batch_async}};
  return kNames;
}

/// Few gradients an update while any step helps, many once their noise is what is left.
class AdaSync final : public UpdatePolicy {
 public:
  CountOrShare k{1, 0};
  int window = 20;
  Base base = Base::k_async;
  Rule rule(int workers) const override {
    Rule rule;
    rule.gradients = k.of(workers);
    rule.current_only = false;
    rule.restart = Restart::contributors;
    rule.goes_on = base == Base::k_batch_async;
    rule.adaptation.window = window;
    return rule;
  }
  Statement statement() const override {
    Statement s;
    s.does = "k-async, or k-batch-async, with K growing as the loss falls.";
    s.steps = {
        "Gradients are accepted, applied and followed by fetches as in `base`, with K = `k` at "
        "first.",
        "It needs `train`: shard 0 averages the losses of the mini-batches that it accepts over "
        "`window` updates, above the least loss of the dataset where that is known: F. The first "
        "such average is F_0.",
        "Then it chooses the next K: k sqrt(F_0/F) for the base k-batch-async, the root of K^2/(P "
        "- K) = k^2/(P - k) F_0/F for k-async. Rounded, it never falls, is at most the number of "
        "living workers, and all of them where F is not above 0.",
        "Nothing is cancelled. Deaths are as in the base, with the K of the moment.",
    };
    s.time = "That of the base at each K.";
    s.staleness = "That of the base at each K.";
    s.source =
        "Dutta, Wang & Joshi, \"Slow and stale gradients can win the race\", arXiv:2003.10579; "
        "the rule follows from its bound on the loss for exponential X "
        "(`training/strategies/adapted_k.hpp`).";
    return s;
  }
  static void describe(Description<AdaSync>& d) {
    d.optional("k", &AdaSync::k, "gradients in the first updates: a count or a share");
    d.optional("window", &AdaSync::window, "updates between two choices of K")
        .at_least(1)
        .at_most(1'000'000);
    d.optional("base", &AdaSync::base, "policy that uses the chosen K");
  }
};

}  // namespace

Variant<UpdatePolicy> adasync_policy() {
  return variant<AdaSync, UpdatePolicy>("adasync", "k-async with k growing as the loss falls");
}

}  // namespace paceline
