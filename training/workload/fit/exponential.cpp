// SPDX-License-Identifier: MIT
// ln L = -n ln(mean) - sum x / mean is largest at the sample's mean; with a shift, at the largest
// shift that is not above any time.
#include <cmath>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {

FamilyEstimate estimate_exponential(const FitSample& sample) {
  FamilyEstimate found;
  found.keys.set("mean", time_key(sample.mean));
  found.log_likelihood = -sample.count * (std::log(sample.mean) + 1);
  return found;
}

FamilyEstimate estimate_shifted_exponential(const FitSample& sample) {
  FamilyEstimate found;
  found.keys.set("shift", time_key(sample.least()));
  found.keys.set("mean", time_key(sample.mean));
  found.log_likelihood = -sample.count * (std::log(sample.mean - sample.least()) + 1);
  return found;
}

}  // namespace paceline
