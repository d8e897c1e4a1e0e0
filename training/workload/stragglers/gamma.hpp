// SPDX-License-Identifier: MIT
/// \file
/// A light-tailed time given by mean and spread. With a = 1 / cv^2: F(t) = P(a, a t / mean), the
/// regularised lower incomplete gamma function; cv 1 is exponential, a small cv nearly normal.
#pragma once
#include "training/workload/stragglers/law/mean_and_cv.hpp"

namespace paceline {

class GammaStraggler final : public MeanAndCvStraggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  StragglerShape shape() const override;

  static void describe(Description<GammaStraggler>& d) { describe_keys(d); }

 private:
  double alpha() const { return 1 / (cv_ * cv_); }
};

}  // namespace paceline
