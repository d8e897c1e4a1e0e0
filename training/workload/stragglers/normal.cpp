// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/tools/roots.hpp>

namespace paceline {
namespace {

namespace policies = boost::math::policies;
/// Computes in double everywhere, so that results do not depend on a platform's long double; never
/// throws.
using Policy = policies::policy<policies::promote_double<false>,
                                policies::domain_error<policies::ignore_error>,
                                policies::overflow_error<policies::ignore_error>>;

/// Phi, exact in the lower tail.
double normal_cdf(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

/// The z with Phi(z) = u; exact in the lower tail, and by symmetry -z in the upper one.
double normal_quantile(double u) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u, Policy());
}

/// phi(a) / Phi(a): the amount by which cutting off at 0 raises the mean.
double raised_by(double a) {
  return std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi) / normal_cdf(a);
}

/// The a at which cut_off_normal_mean(a) = `mean` >= kLeastNormalMean.
double location_of(double mean) {
  if (mean > 40) return mean;  // nothing is cut off
  double low = -20;            // cut_off_normal_mean(-20) is 0.05
  double high = mean;          // the mean is never below a
  const auto step = [mean](double a) {
    return std::pair{cut_off_normal_mean(a) - mean, cut_off_normal_variance(a)};
  };
  return boost::math::tools::newton_raphson_iterate(step, mean - raised_by(mean), low, high, 52);
}

}  // namespace

double cut_off_normal_mean(double a) {
  return a + raised_by(a);
}

double cut_off_normal_variance(double a) {
  const double raised = raised_by(a);
  return 1 - raised * (a + raised);
}

bool NormalStraggler::settle(const Tree& tree, Diagnostics& diagnostics) {
  if (mean_ < deviation_ * kLeastNormalMean) {
    // Below this ratio the distribution is so close to exponential that its location is not
    // determined.
    diagnostics.error(tree.find("deviation")->at,
                      "'deviation' must be at most 10 times 'mean' (it is that before truncation "
                      "at 0; `exponential` spreads further)");
    return false;
  }
  location_ = location_of(mean_ / deviation_);
  return true;
}

Seconds NormalStraggler::at_normal(double z) const {
  return std::max(Seconds{0}, deviation_ * (location_ + z));
}

double NormalStraggler::normal_at(Seconds time) const {
  return time / deviation_ - location_;
}

Seconds NormalStraggler::quantile(double u) const {
  if (location_ < 0 || u > 0.5) return upper_quantile(1 - u);
  const double cut = normal_cdf(-location_);
  return at_normal(normal_quantile(cut + u * (1 - cut)));
}

Seconds NormalStraggler::upper_quantile(double share) const {
  return at_normal(-normal_quantile(share * normal_cdf(location_)));
}

double NormalStraggler::cdf(Seconds time) const {
  if (!(time > Seconds{0})) return 0;
  const double z = normal_at(time);
  if (location_ < 0 || z > 0) return 1 - survival(time);
  const double cut = normal_cdf(-location_);
  return (normal_cdf(z) - cut) / (1 - cut);
}

double NormalStraggler::survival(Seconds time) const {
  if (!(time > Seconds{0})) return 1;
  return normal_cdf(-normal_at(time)) / normal_cdf(location_);
}

double NormalStraggler::cv() const {
  return std::sqrt(cut_off_normal_variance(location_)) / (mean_ / deviation_);
}

}  // namespace paceline
