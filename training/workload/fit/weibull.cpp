// SPDX-License-Identifier: MIT
// The likelihood is largest where
//     sum x^k ln x / sum x^k - mean(ln x) = 1 / k,    scale = mean(x^k)^(1/k),
// The difference of both sides rises with k, so there is one such k. Times are divided by the
// longest, so that no power overflows.
#include <algorithm>
#include <cmath>

#include <boost/math/tools/roots.hpp>

#include "training/workload/fit/family_estimate.hpp"

namespace paceline {

FamilyEstimate estimate_weibull(const FitSample& sample) {
  FamilyEstimate found;
  if (!(sample.least() > 0)) {
    found.refused = kNeedsPositive;
    return found;
  }
  const double log_most = std::log(sample.most());
  double mean_power = 1;
  const auto equation = [&](double k) {
    double powers = 0;
    double first = 0;   // sum x^k ln x
    double second = 0;  // sum x^k ln^2 x
    for (const double time : sample.times) {
      const double log_time = std::log(time) - log_most;
      const double power = std::exp(k * log_time);
      powers += power;
      first += power * log_time;
      second += power * log_time * log_time;
    }
    mean_power = powers / sample.count;
    const double weighted = first / powers;
    return std::pair{weighted - (sample.mean_log - log_most) - 1 / k,
                     second / powers - weighted * weighted + 1 / (k * k)};
  };
  constexpr double kLeast = 0.01;  // beyond both ends of the key's range
  constexpr double kMost = 1e4;
  const double guess = std::pow(sample.variance / (sample.mean * sample.mean), -0.543);
  const double shape = boost::math::tools::newton_raphson_iterate(
      equation, std::clamp(guess, kLeast, kMost), kLeast, kMost, 50);
  equation(shape);
  const double log_scale = log_most + std::log(mean_power) / shape;
  found.keys.set("scale", time_key(std::exp(log_scale)));
  found.keys.set("shape", number_key(shape));
  found.log_likelihood =
      sample.count * (std::log(shape) - shape * log_scale + (shape - 1) * sample.mean_log - 1);
  return found;
}

}  // namespace paceline
