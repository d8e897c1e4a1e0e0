// SPDX-License-Identifier: MIT
/// \file
/// Measured times as a distribution: between two neighbouring times any time is equally likely, so
/// the quantile is linear between the order statistics, Q(i / (n - 1)) = x_(i), i from 0 (Hyndman &
/// Fan's type 7, The American Statistician 50(4), 1996), and the cdf is its inverse.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace paceline {

class TimeSample {
 public:
  /// Requires at least one time, all finite and >= 0, in any order; in seconds.
  explicit TimeSample(std::vector<double> times);

  const std::vector<double>& times() const { return times_; }  ///< in ascending order
  double quantile(double u) const;
  double upper_quantile(double share) const;
  double cdf(double time) const;
  double survival(double time) const;
  /// Mean of the distribution, in which the first and last time count half.
  double mean() const { return mean_; }
  double cv() const { return cv_; }
  /// 32 hexadecimal digits that differ where the times differ.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  std::vector<double> times_;
  double mean_ = 0;
  double cv_ = 0;
  std::string fingerprint_;
};

}  // namespace paceline
