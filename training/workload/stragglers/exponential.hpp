// SPDX-License-Identifier: MIT
/// \file
/// A memoryless time: F(t) = 1 - exp(-t / mean). With it, the run times of most policies have
/// closed forms.
#pragma once
#include <cmath>

#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

/// The quantile of the exponential distribution of mean 1: -ln(1 - u).
inline double unit_exponential(double u) {
  // The 1 - u of a draw is exact, and log takes half the time of log1p; a small u would lose
  // digits.
  return u < 0.01 ? -std::log1p(-u) : -std::log(1 - u);
}

class ExponentialStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override { return mean_ * unit_exponential(u); }
  Seconds upper_quantile(double share) const override { return mean_ * -std::log(share); }
  double cdf(Seconds time) const override {
    return time > Seconds{0} ? -std::expm1(-(time / mean_)) : 0;
  }
  double survival(Seconds time) const override {
    return time > Seconds{0} ? std::exp(-(time / mean_)) : 1;
  }
  Seconds mean() const override { return mean_; }
  double cv() const override { return 1; }
  StragglerShape shape() const override { return {.aging = Aging::memoryless}; }

  static void describe(Description<ExponentialStraggler>& d) {
    d.required("mean", &ExponentialStraggler::mean_, "mean of a draw").above(Seconds{0});
    describe_applies(d);
  }

 private:
  Seconds mean_;
};

}  // namespace paceline
