// SPDX-License-Identifier: MIT
/// \file
/// The step size of an update: the optimizer's schedule and staleness rule, given the figures of
/// the update that are known where the weights are stored.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "training/learning/optimizers/optimizer.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

/// The weight of one gradient in its sum or update. Plain data, so that any thread can evaluate it
/// later, once a distance is known.
struct GradientWeight {
  const StalenessRule* rule = nullptr;  ///< null: the gradient counts in full
  double scheduled = 0;                 ///< rate
  double staleness = 0;

  /// Whether the weight depends on |w_now - w_then|^2.
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
  int per_update = 1;  ///< gradients in an update that weighs each of them
  std::optional<double> samples_per_epoch;
  std::vector<std::int64_t> layers = {};  ///< begins, ascending; of layer-wise optimizers

  /// The scheduled rate of an update of `gradients` mini-batches after `rounds` rounds.
  double scheduled(double rounds, double gradients) const;
  GradientWeight weight(const GradientAge& age, double gradients) const;
  /// Where layers begin within a slice, but for the one that its begin is in.
  std::vector<std::size_t> layers_of(const Slice& slice) const;
};

}  // namespace paceline
