// SPDX-License-Identifier: MIT
/// \file
/// Mean and spread of choice with a long tail: ln t is normal with variance s^2 = ln(1 + cv^2) and
/// mean ln(mean) - s^2 / 2, so F(t) = Phi((ln(t / mean) + s^2 / 2) / s).
#pragma once
#include "training/stragglers/law/mean_and_cv.hpp"

namespace paceline {

class LognormalStraggler final : public MeanAndCvStraggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  StragglerShape shape() const override { return {}; }

  static void describe(Description<LognormalStraggler>& d) { describe_keys(d); }

 private:
  Seconds at_normal(double z) const;     ///< the time z deviations of ln t above its mean
  double normal_at(Seconds time) const;  ///< its inverse
};

}  // namespace paceline
