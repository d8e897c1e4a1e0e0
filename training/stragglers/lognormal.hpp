// SPDX-License-Identifier: MIT
/// \file
/// Mean and spread of choice with a long tail: ln t is normal with variance s^2 = ln(1 + cv^2) and
/// mean ln(mean) - s^2 / 2, so F(t) = Phi((ln(t / mean) + s^2 / 2) / s).
#pragma once
#include "training/stragglers/straggler.hpp"

namespace paceline {

class LognormalStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  Seconds mean() const override { return mean_; }
  double cv() const override { return cv_; }
  StragglerShape shape() const override { return {}; }

  static void describe(Description<LognormalStraggler>& d) {
    d.required("mean", &LognormalStraggler::mean_, "mean of a draw").above(Seconds{0});
    d.required("cv", &LognormalStraggler::cv_, "deviation over mean").at_least(0.001).at_most(10);
    describe_applies(d);
  }

 private:
  Seconds at_normal(double z) const;     ///< the time z deviations of ln t above its mean
  double normal_at(Seconds time) const;  ///< its inverse

  Seconds mean_;
  double cv_ = 1;
};

}  // namespace paceline
