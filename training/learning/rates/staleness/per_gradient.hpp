// SPDX-License-Identifier: MIT
/// \file
/// Weighs a gradient less the staler it is.
#pragma once
#include <algorithm>

#include "training/learning/rates/staleness_rule.hpp"

namespace paceline {

/// Divides each gradient by its own staleness.
struct PerGradientStaleness final : StalenessRule {
  static void describe(Description<PerGradientStaleness>&) {}
  double weight(double /*scheduled*/, double staleness,
                double /*squared_distance*/) const override {
    return 1 / std::max(1.0, staleness);
  }
  bool weighs_gradients() const override { return true; }
  StalenessStatement statement() const override {
    return {"the staleness of each gradient",
            "weight of the gradient in its update = 1 / max(1, staleness)",
            "Zhang, Gupta, Lian & Liu, \"Staleness-aware async-SGD\", IJCAI 2016, equation 5"};
  }
};

}  // namespace paceline
