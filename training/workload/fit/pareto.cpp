// SPDX-License-Identifier: MIT
// ln L = n ln(a) + n a ln(minimum) - (a + 1) sum ln x is largest at the largest minimum that is not
// above any time, and there at a = n / sum ln(x / minimum).
#include <cmath>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {

FamilyEstimate estimate_pareto(const FitSample& sample) {
  FamilyEstimate found;
  if (!(sample.least() > 0)) {
    found.refused = kNeedsPositive;
    return found;
  }
  const double log_least = std::log(sample.least());
  const double shape = 1 / (sample.mean_log - log_least);
  found.keys.set("minimum", time_key(sample.least()));
  found.keys.set("shape", number_key(shape));
  found.log_likelihood =
      sample.count * (std::log(shape) + shape * log_least - (shape + 1) * sample.mean_log);
  return found;
}

}  // namespace paceline
