// SPDX-License-Identifier: MIT
/// \file
/// A rate that falls at given times.
#pragma once
#include <string>
#include <vector>

#include "training/learning/rates/schedules/warm_up.hpp"

namespace paceline {

/// **Does** multiplies the rate by `factor` at each time of `at`, counted from the start of
/// training, the warm-up included. **Source** Goyal et al. 2017: 0.1 at epochs 30, 60 and 80.
struct StepDecay final : Schedule, WarmUp {
  std::vector<Length> at;
  double factor = 0.1;

  static void describe(Description<StepDecay>& d);
  std::string invalid() const;
  double rate(double learning_rate, const Progress& progress) const override;
  bool needs_epochs() const override;
};

}  // namespace paceline
