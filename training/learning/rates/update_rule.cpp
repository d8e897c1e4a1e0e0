// SPDX-License-Identifier: MIT
#include "training/learning/rates/update_rule.hpp"

namespace paceline {

double UpdateRule::scheduled(double rounds, double gradients) const {
  Progress progress;
  progress.rounds = rounds;
  progress.items_per_update = gradients * batch;
  if (samples_per_epoch) progress.epochs = rounds * workers * batch / *samples_per_epoch;
  return optimizer->schedule->rate(optimizer->learning_rate, progress);
}

GradientWeight UpdateRule::weight(const GradientAge& age, double gradients) const {
  const StalenessRule& rule = *optimizer->staleness;
  if (age.worker < 0 || !rule.weighs_gradients()) return {};
  return {&rule, scheduled(age.rounds, gradients), static_cast<double>(age.staleness)};
}

}  // namespace paceline
