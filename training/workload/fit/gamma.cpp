// SPDX-License-Identifier: MIT
// With a = 1 / cv^2 the likelihood is largest at the sample's mean, and where
//     ln(a) - psi(a) = ln(mean x) - mean(ln x).
// The left side falls from infinity to 0. The first guess is from Minka, "Estimating a Gamma
// distribution", 2002.
#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/math/tools/roots.hpp>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {

FamilyEstimate estimate_gamma(const FitSample& sample) {
  FamilyEstimate found;
  if (!(sample.least() > 0)) {
    found.refused = kNeedsPositive;
    return found;
  }
  const double gap = std::log(sample.mean) - sample.mean_log;
  constexpr double kLeast = 1e-3;  // cv 30 and 10^-4: beyond both ends of the key's range
  constexpr double kMost = 1e8;
  const double guess = (3 - gap + std::sqrt((gap - 3) * (gap - 3) + 24 * gap)) / (12 * gap);
  const double alpha = boost::math::tools::newton_raphson_iterate(
      [gap](double a) {
        return std::pair{std::log(a) - boost::math::digamma(a) - gap,
                         1 / a - boost::math::trigamma(a)};
      },
      std::clamp(guess, kLeast, kMost), kLeast, kMost, 50);
  found.keys.set("mean", time_key(sample.mean));
  found.keys.set("cv", number_key(1 / std::sqrt(alpha)));
  found.log_likelihood =
      sample.count * (alpha * std::log(alpha / sample.mean) - boost::math::lgamma(alpha) +
                      (alpha - 1) * sample.mean_log - alpha);
  return found;
}

}  // namespace paceline
