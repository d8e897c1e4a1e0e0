// SPDX-License-Identifier: MIT
// ln x is normal; its likelihood is largest at the mean and the variance of the sample's ln x.
#include <cmath>
#include <numbers>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {

FamilyEstimate estimate_lognormal(const FitSample& sample) {
  FamilyEstimate found;
  if (!(sample.least() > 0)) {
    found.refused = kNeedsPositive;
    return found;
  }
  const double variance = sample.variance_log;
  found.keys.set("mean", time_key(std::exp(sample.mean_log + variance / 2)));
  found.keys.set("cv", number_key(std::sqrt(std::expm1(variance))));
  found.log_likelihood =
      -sample.count * (sample.mean_log + std::log(2 * std::numbers::pi * variance) / 2 + 0.5);
  return found;
}

}  // namespace paceline
