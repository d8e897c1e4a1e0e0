// SPDX-License-Identifier: MIT
/// \file
/// How large a step an update takes: the optimizer's schedule and staleness rule, given what is
/// known of the update where the weights are.
#pragma once
#include <optional>

#include "training/arithmetic/optimizer.hpp"
#include "training/roles/command.hpp"

namespace paceline {

struct UpdateRule {
  const Optimizer* optimizer = nullptr;
  double batch = 1;  ///< items of a mini-batch
  int workers = 1;
  std::optional<double> samples_per_epoch;

  /// The schedule's rate of an update after `rounds` rounds that takes `gradients` mini-batches.
  double scheduled(double rounds, double gradients) const;
  /// The weight of one gradient; `distance` gives |w_now - w_then|^2 where the rule needs it.
  template <class Distance>
  float weight(const GradientAge& age, double gradients, const Distance& distance) const {
    const StalenessRule& rule = *optimizer->staleness;
    if (age.worker < 0 || !rule.weighs_gradients()) return 1;
    const double squared = rule.needs_distance() ? distance() : 0;
    return static_cast<float>(
        rule.weight(scheduled(age.rounds, gradients), static_cast<double>(age.staleness), squared));
  }
};

}  // namespace paceline
