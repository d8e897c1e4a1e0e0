// SPDX-License-Identifier: MIT
/// \file
/// Staleness that changes nothing.
#pragma once
#include "training/rates/staleness_rule.hpp"

namespace paceline {

/// Every gradient counts in full.
struct IgnoreStaleness final : StalenessRule {
  static void describe(Description<IgnoreStaleness>&) {}
  StalenessStatement statement() const override {
    return {"nothing", "weight 1, rate as scheduled", ""};
  }
};

}  // namespace paceline
