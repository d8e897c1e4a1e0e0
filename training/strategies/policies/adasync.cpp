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

/// k-async or k-batch-async with few gradients an update while the loss is high, and more as the
/// noise of gradients limits progress. Its K follows the loss, so no closed form is known.
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
  bool needs_loss() const override { return true; }
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
