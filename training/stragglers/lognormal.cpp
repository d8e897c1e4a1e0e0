// SPDX-License-Identifier: MIT
#include "training/stragglers/lognormal.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace paceline {
namespace {

namespace policies = boost::math::policies;
/// Results as double everywhere, so that no platform's long double shows; never throws.
using Policy = policies::policy<policies::promote_double<false>,
                                policies::domain_error<policies::ignore_error>,
                                policies::overflow_error<policies::ignore_error>>;

}  // namespace

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
