// SPDX-License-Identifier: MIT
/// \file
/// Staleness that changes nothing.
#pragma once
#include "training/rates/staleness_rule.hpp"

namespace paceline {

/// **Does** weight 1, rate as scheduled.
struct IgnoreStaleness final : StalenessRule {
  static void describe(Description<IgnoreStaleness>&) {}
};

}  // namespace paceline
