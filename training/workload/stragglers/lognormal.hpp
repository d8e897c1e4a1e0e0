// SPDX-License-Identifier: MIT
/// \file
/// A long-tailed time given by mean and spread: ln t is normal with variance s^2 = ln(1 + cv^2) and
/// mean ln(mean) - s^2 / 2, so F(t) = Phi((ln(t / mean) + s^2 / 2) / s). The usual parameters are
/// equivalent: median = mean exp(-s^2 / 2), sigma = s.
#pragma once
#include <optional>

#include "training/workload/stragglers/law/mean_and_cv.hpp"

namespace paceline {

class LognormalStraggler final : public MeanAndCvStraggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  StragglerShape shape() const override { return {}; }

  static void describe(Description<LognormalStraggler>& d);
  /// Works out mean and spread. False after noting that too many or too few keys are given.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  std::optional<Seconds> given_mean_, median_;
  std::optional<Ratio> given_cv_;
  std::optional<double> sigma_;

  Seconds at_normal(double z) const;     ///< the time z deviations of ln t above the mean of ln t
  double normal_at(Seconds time) const;  ///< inverse of at_normal
};

}  // namespace paceline
