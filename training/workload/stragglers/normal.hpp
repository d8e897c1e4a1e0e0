// SPDX-License-Identifier: MIT
/// \file
/// A normal distribution cut off at 0, because no time is negative: the draws above 0 of a normal
/// distribution of location m and deviation s,
///     F(t) = (Phi((t - m) / s) - Phi(-m / s)) / Phi(m / s)    for t >= 0.
/// `mean` is the mean of the draws above 0, so m is the solution of m + s phi(m / s) / Phi(m / s) =
/// mean; `deviation` is s, the deviation before cutting off. Where the mean is 5 deviations or
/// more, the part cut off is below 10^-6, and both are those of the draws.
#pragma once
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class NormalStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override;
  Seconds upper_quantile(double share) const override;
  double cdf(Seconds time) const override;
  double survival(Seconds time) const override;
  Seconds mean() const override { return mean_; }
  double cv() const override;
  StragglerShape shape() const override { return {.aging = Aging::new_longer}; }

  static void describe(Description<NormalStraggler>& d) {
    using Self = NormalStraggler;
    d.required("mean", &Self::mean_, "mean of a draw").above(Seconds{0});
    d.required("deviation", &Self::deviation_, "standard deviation before truncation at 0")
        .above(Seconds{0});
    describe_applies(d);
  }
  /// Finds the location. False after noting that none exists.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  Seconds at_normal(double z) const;
  double normal_at(Seconds time) const;

  Seconds mean_;
  Seconds deviation_;
  double location_ = 0;  ///< m / s
};

/// The mean of a normal distribution of location `a` and deviation 1 that is cut off at 0: a +
/// phi(a) / Phi(a). Requires a >= -30.
double cut_off_normal_mean(double a);
/// Its variance, in (0, 1).
double cut_off_normal_variance(double a);
/// The least ratio of mean to deviation that `normal` allows.
inline constexpr double kLeastNormalMean = 0.1;

}  // namespace paceline
