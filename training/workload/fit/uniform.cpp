// SPDX-License-Identifier: MIT
// The likelihood 1 / (high - low)^n is largest for the narrowest interval.
#include <cmath>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {

FamilyEstimate estimate_uniform(const FitSample& sample) {
  FamilyEstimate found;
  found.keys.set("low", time_key(sample.least()));
  found.keys.set("high", time_key(sample.most()));
  found.log_likelihood = -sample.count * std::log(sample.most() - sample.least());
  return found;
}

}  // namespace paceline
