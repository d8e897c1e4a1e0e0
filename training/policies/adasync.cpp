// SPDX-License-Identifier: MIT
#include "training/policies/adapted_k.hpp"

namespace paceline {
namespace {

enum class Base { k_async, k_batch_async };
std::span<const EnumName<Base>> enum_names(const Base*) {
  static constexpr EnumName<Base> kNames[] = {{"k-async", Base::k_async},
                                              {"k-batch-async", Base::k_batch_async}};
  return kNames;
}

/// **Does** k-async (or k-batch-async) whose K grows from `k` as the loss falls: few gradients an
/// update while any step helps, many once their noise is what is left. **Time** that of the base at
/// each K. **Staleness** likewise. **Source** Dutta et al., arXiv:2003.10579; the rule is in
/// adapted_k.hpp.
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
  static void describe(Description<AdaSync>& d) {
    d.optional("k", &AdaSync::k, "gradients in the first updates: a count or a share");
    d.optional("window", &AdaSync::window, "updates between two choices of K")
        .at_least(1)
        .at_most(1'000'000);
    d.optional("base", &AdaSync::base, "the policy whose K is chosen");
  }
};

}  // namespace

Variant<UpdatePolicy> adasync_policy() {
  return variant<AdaSync, UpdatePolicy>("adasync", "k-async whose k grows as the loss falls");
}

}  // namespace paceline
