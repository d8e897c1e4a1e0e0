// SPDX-License-Identifier: MIT
#include "training/learning/rates/update_rule.hpp"

#include <algorithm>

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

std::vector<std::size_t> UpdateRule::layers_of(const Slice& slice) const {
  std::vector<std::size_t> begins;
  // a layer without parameters begins where the next one does
  for (auto begin = std::upper_bound(layers.begin(), layers.end(), slice.begin);
       begin != layers.end() && *begin < slice.end;
       begin = std::upper_bound(begin, layers.end(), *begin)) {
    begins.push_back(static_cast<std::size_t>(*begin - slice.begin));
  }
  return begins;
}

}  // namespace paceline
