// SPDX-License-Identifier: MIT
/// \file
/// Gradients that count the less the staler they are.
#pragma once
#include <algorithm>

#include "training/rates/staleness_rule.hpp"

namespace paceline {

/// **Does** weight = 1 / max(1, staleness of the gradient). **Source** Zhang, Gupta, Lian & Liu,
/// "Staleness-aware async-SGD", IJCAI 2016, equation 5.
struct PerGradientStaleness final : StalenessRule {
  static void describe(Description<PerGradientStaleness>&) {}
  double weight(double /*scheduled*/, double staleness,
                double /*squared_distance*/) const override {
    return 1 / std::max(1.0, staleness);
  }
  bool weighs_gradients() const override { return true; }
};

}  // namespace paceline
