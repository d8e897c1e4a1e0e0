// SPDX-License-Identifier: MIT
/// \file
/// Mean and spread of choice with a long tail: ln t is normal with variance s^2 = ln(1 + cv^2) and
/// mean ln(mean) - s^2 / 2, so F(t) = Phi((ln(t / mean) + s^2 / 2) / s). The usual parameters say
/// the same: median = mean exp(-s^2 / 2), sigma = s.
#pragma once
#include <optional>

#include "training/stragglers/law/mean_and_cv.hpp"

namespace paceline {

class LognormalStraggler final : public MeanAndCvStraggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  StragglerShape shape() const override { return {}; }

  static void describe(Description<LognormalStraggler>& d);
  /// Finds mean and spread. False after noting that too much or too little is given.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  std::optional<Seconds> given_mean_, median_;
  std::optional<Ratio> given_cv_;
  std::optional<double> sigma_;

  Seconds at_normal(double z) const;     ///< the time z deviations of ln t above its mean
  double normal_at(Seconds time) const;  ///< its inverse
};

}  // namespace paceline
