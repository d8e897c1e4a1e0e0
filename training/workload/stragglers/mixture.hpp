// SPDX-License-Identifier: MIT
/// \file
/// Some mini-batches of one kind, some of another: F(t) = sum of share x F_part(t). Each mini-batch
/// belongs to a part by chance, whatever the one before it belonged to, and takes the very time
/// that it would take if that part were alone.
///
///     compute:
///       kind: mixture
///       parts:
///         - {share: 95 %, time: {kind: gamma, mean: 10 ms, cv: 0.1}}
///         - {share: 5 %, time: {kind: pareto, minimum: 50 ms, shape: 2.5}}
#pragma once
#include <vector>

#include "experiments/share.hpp"
#include "training/stragglers/law/weighted_parts.hpp"

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
  /// Puts the parts together. False after noting what is wrong with them.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  std::vector<MixturePart> written_;
};

}  // namespace paceline
