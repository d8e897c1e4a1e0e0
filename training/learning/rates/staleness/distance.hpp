// SPDX-License-Identifier: MIT
/// \file
/// Weighs a gradient less the further the weights have moved since it was computed.
#pragma once
#include <optional>

#include "training/learning/rates/staleness_rule.hpp"

namespace paceline {

/// Weighs each gradient by the distance of the current weights from those it was computed at.
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
