// SPDX-License-Identifier: MIT
/// \file
/// Ignores staleness.
#pragma once
#include "training/learning/rates/staleness_rule.hpp"

namespace paceline {

/// Every gradient counts in full.
struct IgnoreStaleness final : StalenessRule {
  static void describe(Description<IgnoreStaleness>&) {}
  StalenessStatement statement() const override {
    return {"nothing", "weight 1, rate as scheduled", ""};
  }
};

}  // namespace paceline
