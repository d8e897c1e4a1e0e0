// SPDX-License-Identifier: MIT
/// \file
/// Gradients that count the less the further the weights have moved since.
#pragma once
#include <optional>

#include "training/rates/staleness_rule.hpp"

namespace paceline {

/// Each gradient by the distance from the weights it was computed at.
struct DistanceStaleness final : StalenessRule {
  double c = 0;
  std::optional<double> max;

  static void describe(Description<DistanceStaleness>& d);
  double weight(double scheduled, double staleness, double squared_distance) const override;
  bool needs_distance() const override { return true; }
  bool weighs_gradients() const override { return true; }
  StalenessStatement statement() const override;
};

}  // namespace paceline
