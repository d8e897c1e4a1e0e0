// SPDX-License-Identifier: MIT
/// \file
/// How large a step an update takes: the optimizer's schedule and staleness rule, given what is
/// known of the update where the weights are.
#pragma once
#include <optional>

#include "training/arithmetic/optimizer.hpp"
#include "training/roles/command.hpp"

namespace paceline {

/// The weight of one gradient in its sum or update. Plain data, so that it can be asked later, by
/// any thread, once a distance is known.
struct GradientWeight {
  const StalenessRule* rule = nullptr;  ///< null: the gradient counts in full
  double scheduled = 0;                 ///< rate
  double staleness = 0;

  /// Whether |w_now - w_then|^2 is asked for.
  bool needs_distance() const { return rule != nullptr && rule->needs_distance(); }
  float operator()(double squared_distance) const {
    if (rule == nullptr) return 1;
    return static_cast<float>(rule->weight(scheduled, staleness, squared_distance));
  }
};

struct UpdateRule {
  const Optimizer* optimizer = nullptr;
  double batch = 1;  ///< items of a mini-batch
  int workers = 1;
  std::optional<double> samples_per_epoch;

  /// The schedule's rate of an update after `rounds` rounds that takes `gradients` mini-batches.
  double scheduled(double rounds, double gradients) const;
  GradientWeight weight(const GradientAge& age, double gradients) const;
};

}  // namespace paceline
