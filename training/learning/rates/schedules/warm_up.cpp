// SPDX-License-Identifier: MIT
#include "training/learning/rates/schedules/warm_up.hpp"

#include <algorithm>

namespace paceline {

double WarmUp::reached(double learning_rate, const Progress& progress) const {
  const double full = reference_batch ? learning_rate * progress.items_per_update / *reference_batch
                                      : learning_rate;
  if (!warmup || *warmup == Length{}) return full;
  // An update of fewer items than the reference batch needs no ramp: its rate is the smaller one.
  const double start = reference_batch ? std::min(learning_rate, full) : 0;
  return start + (full - start) * std::min(1.0, share_passed(*warmup, progress));
}

}  // namespace paceline
