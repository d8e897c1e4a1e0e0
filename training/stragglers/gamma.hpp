// SPDX-License-Identifier: MIT
/// \file
/// Mean and spread of choice with a light tail. With a = 1 / cv^2: F(t) = P(a, a t / mean), the
/// regularised lower incomplete gamma function; cv 1 is exponential, a small cv nearly normal.
#pragma once
#include "training/stragglers/straggler.hpp"

namespace paceline {

class GammaStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  Seconds mean() const override { return mean_; }
  double cv() const override { return cv_; }
  StragglerShape shape() const override;

  static void describe(Description<GammaStraggler>& d) {
    d.required("mean", &GammaStraggler::mean_, "mean of a draw").above(Seconds{0});
    // The bounds keep 1 / cv^2 where the incomplete gamma function is evaluated to full precision.
    d.required("cv", &GammaStraggler::cv_, "deviation over mean").at_least(0.001).at_most(10);
    describe_applies(d);
  }

 private:
  double alpha() const { return 1 / (cv_ * cv_); }

  Seconds mean_;
  double cv_ = 1;
};

}  // namespace paceline
