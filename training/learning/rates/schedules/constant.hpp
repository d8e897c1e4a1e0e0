// SPDX-License-Identifier: MIT
/// \file
/// One rate throughout.
#pragma once
#include "training/learning/rates/schedules/warm_up.hpp"

namespace paceline {

/// **Does** rate = learning_rate, after a linear rise from 0 where there is a warm-up.
struct ConstantRate final : Schedule, WarmUp {
  static void describe(Description<ConstantRate>& d) { describe_warmup(d); }
  double rate(double learning_rate, const Progress& progress) const override {
    return reached(learning_rate, progress);
  }
  bool needs_epochs() const override { return in_epochs(); }
};

}  // namespace paceline
