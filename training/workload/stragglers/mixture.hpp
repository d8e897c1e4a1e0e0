// SPDX-License-Identifier: MIT
/// \file
/// Each mini-batch belongs by chance to one of several parts: F(t) = sum of share x F_part(t). The
/// part does not depend on the previous mini-batch, and the mini-batch takes exactly the time that
/// it would take if its part were the only one.
///
///     compute:
///       kind: mixture
///       parts:
///         - {share: 95 %, time: {kind: gamma, mean: 10 ms, cv: 0.1}}
///         - {share: 5 %, time: {kind: pareto, minimum: 50 ms, shape: 2.5}}
#pragma once
#include <vector>

#include "experiments/language/share.hpp"
#include "training/workload/stragglers/law/weighted_parts.hpp"

namespace paceline {

/// A part of a mixture.
struct MixturePart {
  Percent share{0};
  Choice<Straggler> time;

  static void describe(Description<MixturePart>& d) {
    d.required("share", &MixturePart::share, "share of the mini-batches")
        .at_least(Percent{1e-6})
        .at_most(Percent{1});
    d.required("time", &MixturePart::time, "distribution of these mini-batches' times");
  }
};

class MixtureStraggler final : public PartsStraggler {
 public:
  Seconds draw(const Draw& at) const override {
    return parts_.chosen(at.uniform(Purpose::part)).draw(at);
  }

  static void describe(Description<MixtureStraggler>& d) {
    d.required("parts", &MixtureStraggler::written_,
               "the distributions; their shares add up to 100 %");
    describe_applies(d);
  }
  /// Combines the parts. False after noting their errors.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  std::vector<MixturePart> written_;
};

}  // namespace paceline
