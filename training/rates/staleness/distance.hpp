// SPDX-License-Identifier: MIT
/// \file
/// Gradients that count the less the further the weights have moved since.
#pragma once
#include <optional>

#include "training/rates/staleness_rule.hpp"

namespace paceline {

/// **Does** rate = min(c / |w_j - w_tau|^2, max) for each gradient, as a weight relative to the
/// scheduled rate; `max` is the scheduled rate unless given. **Source** Dutta et al., "Slow and
/// stale gradients can win the race", AISTATS 2018, section 5.
struct DistanceStaleness final : StalenessRule {
  double c = 0;
  std::optional<double> max;

  static void describe(Description<DistanceStaleness>& d);
  double weight(double scheduled, double staleness, double squared_distance) const override;
  bool needs_distance() const override { return true; }
  bool weighs_gradients() const override { return true; }
};

}  // namespace paceline
