// SPDX-License-Identifier: MIT
/// \file
/// A rate that falls with the mean staleness.
#pragma once
#include <algorithm>

#include "training/learning/rates/staleness_rule.hpp"

namespace paceline {

/// Divides the rate by the mean staleness.
struct AverageStaleness final : StalenessRule {
  static void describe(Description<AverageStaleness>&) {}
  double rate(double scheduled, double mean_staleness) const override {
    return scheduled / std::max(1.0, mean_staleness);
  }
  StalenessStatement statement() const override {
    return {"the mean staleness of the update's gradients",
            "rate = scheduled / max(1, mean staleness)",
            "Zhang, Gupta, Lian & Liu, \"Staleness-aware async-SGD\", IJCAI 2016, where n-softsync "
            "divides by n"};
  }
};

}  // namespace paceline
