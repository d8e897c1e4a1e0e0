// SPDX-License-Identifier: MIT
// The k-th smallest of n uniforms has the density
//     f(u) = n! / ((k-1)! (n-k)!) u^(k-1) (1-u)^(n-k)      (Beta(k, n-k+1)),
// so E[X_{k:n}] is the integral of Q(u) f(u) over (0, 1), Q the quantile of X. In the logit
// x = ln(u / (1-u)) the weight f(u) du/dx = C u^k (1-u)^(n-k+1) has one peak, at k / (n-k+1), of
// width about sqrt((n+1) / (k (n-k+1))), and falls exponentially on either side for every n. The
// quantile of a tail of index a grows as e^(x/a), so the product falls at the rate n-k+1 - 1/a,
// which is positive exactly where the expectation exists. Where the quantile has jumps or corners,
// the integral is taken over time instead.
#include "training/theory/order_statistic.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "training/theory/unequal_workers.hpp"

namespace paceline {
namespace {

using Gauss = boost::math::quadrature::gauss<double, 30>;

/// The integrand over the logit x.
class Integrand {
 public:
  Integrand(const StepTime& x, int k, int n)
      : x_(x),
        below_(k),
        above_(n - k + 1),
        log_factor_(boost::math::lgamma(n + 1.0) - boost::math::lgamma(below_) -
                    boost::math::lgamma(above_)) {}

  double peak() const { return std::log(below_ / above_); }
  double width() const { return std::sqrt((below_ + above_) / (below_ * above_)); }
  double log_weight(double logit) const {
    // ln u = -ln(1 + e^-x) and ln(1-u) = -ln(1 + e^x), each in the form that does not cancel
    return log_factor_ - below_ * std::log1p(std::exp(-logit)) -
           above_ * std::log1p(std::exp(logit));
  }
  double time(double logit) const {
    const double smaller = 1 / (1 + std::exp(std::abs(logit)));  // of u and 1-u, never rounded to 0
    return (logit < 0 ? x_.quantile(smaller) : x_.upper_quantile(smaller)).value();
  }
  double operator()(double logit) const { return time(logit) * std::exp(log_weight(logit)); }
  /// The rate at which the integrand falls far above the peak.
  double upper_rate() const { return above_ - 1 / x_.shape().index; }

 private:
  const StepTime& x_;
  double below_;
  double above_;
  double log_factor_;
};

/// e^-700 is about the smallest share of draws that a double represents.
constexpr double kFarthestLogit = 700;

/// Integrates from `from` away from the peak, upwards (`direction` 1) or downwards (-1), in strips
/// of doubling width. One strip ends at `corner`, where the integrand has a corner.
double one_side(const Integrand& f, double from, int direction, double corner) {
  const double most = std::exp(f.log_weight(f.peak())) * f.time(f.peak());
  double sum = 0;
  double at = from;
  double strip = f.width();
  while (std::abs(at) < kFarthestLogit) {
    double next = at + direction * strip;
    if ((corner - at) * direction > 0 && (next - corner) * direction > 0) next = corner;
    next = std::clamp(next, -kFarthestLogit, kFarthestLogit);
    if (!(f.time(next) < 1e290)) break;  // a heavy tail: the rest is exactly exponential
    sum += Gauss::integrate(f, std::min(at, next), std::max(at, next));
    at = next;
    strip = std::abs(at - from) + f.width();
    if (f(at) <= 1e-18 * most) return sum;
  }
  // Here 1-u = e^-x to the last digit, so the rest of the upper side is a geometric tail.
  return direction > 0 ? sum + f(at) / f.upper_rate() : sum;
}

}  // namespace

std::optional<Seconds> expected_order_statistic(const StepTime& x, int k, int n) {
  assert(1 <= k && k <= n);
  const StragglerShape shape = x.shape();
  if (shape.low == shape.high) return shape.low;
  if (!x.corners().empty()) return expected_time_of_first(k, std::vector{AlikeWorkers{x, n}});
  const Integrand f(x, k, n);
  if (!(f.upper_rate() > 0)) return std::nullopt;
  const double padded = x.padded_share();
  const double corner = padded > 0 && padded < 1 ? std::log(padded / (1 - padded)) : f.peak();
  return Seconds{one_side(f, f.peak(), 1, corner) + one_side(f, f.peak(), -1, corner)};
}

}  // namespace paceline
