// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/lognormal.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace paceline {
namespace {

namespace policies = boost::math::policies;
/// Computes in double everywhere, so that results do not depend on a platform's long double; never
/// throws.
using Policy = policies::policy<policies::promote_double<false>,
                                policies::domain_error<policies::ignore_error>,
                                policies::overflow_error<policies::ignore_error>>;

}  // namespace

void LognormalStraggler::describe(Description<LognormalStraggler>& d) {
  using Self = LognormalStraggler;
  d.optional("mean", &Self::given_mean_, "mean of a draw; with `cv`").above(Seconds{0});
  d.optional("cv", &Self::given_cv_, "deviation over mean").at_least(kLeastCv).at_most(kMostCv);
  d.optional("median", &Self::median_, "half of the draws are below; with `sigma`")
      .above(Seconds{0});
  // bounds that correspond to those of cv
  d.optional("sigma", &Self::sigma_, "deviation of the logarithm of a draw")
      .at_least(0.001)
      .at_most(2.148);
  describe_applies(d);
}

bool LognormalStraggler::settle(const Tree& tree, Diagnostics& diagnostics) {
  const bool by_mean = given_mean_ && given_cv_ && !median_ && !sigma_;
  const bool by_median = median_ && sigma_ && !given_mean_ && !given_cv_;
  if (!by_mean && !by_median) {
    diagnostics.error(tree.at, "give either 'mean' and 'cv' or 'median' and 'sigma'");
    return false;
  }
  if (by_mean) {
    mean_ = *given_mean_;
    cv_ = *given_cv_;
  } else {
    mean_ = *median_ * std::exp(*sigma_ * *sigma_ / 2);
    cv_.value = std::sqrt(std::expm1(*sigma_ * *sigma_));
  }
  return true;
}

Seconds LognormalStraggler::at_normal(double z) const {
  const double variance = std::log1p(cv_ * cv_);
  return mean_ * std::exp(z * std::sqrt(variance) - variance / 2);
}

double LognormalStraggler::normal_at(Seconds time) const {
  const double variance = std::log1p(cv_ * cv_);
  return (std::log(time / mean_) + variance / 2) / std::sqrt(variance);
}

Seconds LognormalStraggler::quantile(double u) const {
  return at_normal(-std::numbers::sqrt2 * boost::math::erfc_inv(2 * u, Policy()));
}

Seconds LognormalStraggler::upper_quantile(double share) const {
  return at_normal(std::numbers::sqrt2 * boost::math::erfc_inv(2 * share, Policy()));
}

double LognormalStraggler::cdf(Seconds time) const {
  return time > Seconds{0} ? std::erfc(-normal_at(time) / std::numbers::sqrt2) / 2 : 0;
}

double LognormalStraggler::survival(Seconds time) const {
  return time > Seconds{0} ? std::erfc(normal_at(time) / std::numbers::sqrt2) / 2 : 1;
}

}  // namespace paceline
