// SPDX-License-Identifier: MIT
/// \file
/// A rate that falls along half a cosine.
#pragma once
#include "training/learning/rates/schedules/warm_up.hpp"

namespace paceline {

/// **Does** multiplies the rate by (1 + cos(pi t)) / 2, t the share of `length` that has passed
/// since the start of training, the warm-up included; 0 from its end on. **Source** Loshchilov &
/// Hutter, "SGDR", 2017, without restarts.
struct CosineDecay final : Schedule, WarmUp {
  Length length;

  static void describe(Description<CosineDecay>& d);
  double rate(double learning_rate, const Progress& progress) const override;
  bool needs_epochs() const override { return in_epochs() || length.epochs != 0; }
};

}  // namespace paceline
