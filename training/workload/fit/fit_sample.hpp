// SPDX-License-Identifier: MIT
/// \file
/// The statistics of measured times from which the likelihoods are computed.
#pragma once
#include <span>

namespace paceline {

/// At least two different times, in ascending order, in seconds.
struct FitSample {
  explicit FitSample(std::span<const double> rising);

  std::span<const double> times;
  double count = 0;
  double mean = 0;
  double variance = 0;      ///< mean square deviation: divided by the count
  double mean_log = 0;      ///< of ln(time in seconds); -infinity where a time is 0
  double variance_log = 0;  ///< variance of ln(time); NaN where a time is 0

  double least() const { return times.front(); }
  double most() const { return times.back(); }
};

}  // namespace paceline
