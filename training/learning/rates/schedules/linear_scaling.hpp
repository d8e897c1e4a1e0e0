// SPDX-License-Identifier: MIT
/// \file
/// The linear scaling rule.
#pragma once
#include "training/learning/rates/schedules/warm_up.hpp"

namespace paceline {

/// **Does** rate = learning_rate x items of an update / reference_batch, after a linear rise from
/// learning_rate. **Source** Goyal et al., "Accurate, large minibatch SGD", 2017: 0.1 per 256
/// images, warm-up over 5 epochs.
struct LinearScaling final : Schedule, WarmUp {
  LinearScaling() : WarmUp{256, Length{0, 5}} {}

  static void describe(Description<LinearScaling>& d) { describe_scaling(d); }
  double rate(double learning_rate, const Progress& progress) const override {
    return reached(learning_rate, progress);
  }
  bool needs_epochs() const override { return in_epochs(); }
};

}  // namespace paceline
