// SPDX-License-Identifier: MIT
// A normal distribution cut off at 0 is an exponential family in x and x^2, so its likelihood is
// largest where its mean and variance are those of the sample. With a = m / s, variance / mean^2
// depends on a alone and falls from 1, the value of an exponential time.
#include "training/workload/stragglers/normal.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/tools/roots.hpp>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {
namespace {

double squared_cv(double a) {
  const double mean = cut_off_normal_mean(a);
  return cut_off_normal_variance(a) / (mean * mean);
}

}  // namespace

FamilyEstimate estimate_normal(const FitSample& sample) {
  FamilyEstimate found;
  const double target = sample.variance / (sample.mean * sample.mean);
  constexpr double kLeast = -9;  // the key's range ends at -9.9
  if (target >= squared_cv(kLeast)) {
    found.refused = "the times spread as far as exponential ones";
    return found;
  }
  const double most = 2 / std::sqrt(target);  // squared_cv(a) < 1 / a^2 there
  std::uintmax_t rounds = 200;
  const auto [below, above] = boost::math::tools::toms748_solve(
      [target](double a) { return squared_cv(a) - target; }, kLeast, std::max(most, 1.0),
      boost::math::tools::eps_tolerance<double>(50), rounds);
  const double a = (below + above) / 2;
  const double deviation = sample.mean / cut_off_normal_mean(a);
  const double offset = sample.mean / deviation - a;
  const double squares = sample.variance / (deviation * deviation) + offset * offset;
  found.keys.set("mean", time_key(sample.mean));
  found.keys.set("deviation", time_key(deviation));
  found.log_likelihood =
      -sample.count * (squares / 2 + std::log(deviation * std::sqrt(2 * std::numbers::pi)) +
                       std::log(std::erfc(-a / std::numbers::sqrt2) / 2));
  return found;
}

}  // namespace paceline
