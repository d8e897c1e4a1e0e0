// SPDX-License-Identifier: MIT
/// \file
/// Finds the distribution of `stragglers:` that fits measured times best: every family is fitted by
/// maximum likelihood and ranked by Akaike's criterion, AIC = 2 parameters - 2 ln L (IEEE Trans.
/// Automatic Control 19(6), 1974). Smaller is better; a difference of 10 is overwhelming.
#pragma once
#include <string>
#include <vector>

#include "training/workload/stragglers/measured/time_sample.hpp"
#include "training/workload/stragglers/stragglers.hpp"

namespace paceline {

/// A family at its maximum likelihood.
struct Fit {
  Choice<Straggler> straggler;  ///< as an experiment file describes it
  int parameters = 0;
  double log_likelihood = 0;  ///< of the times in seconds
  double aic = 0;
  double distance = 0;  ///< Kolmogorov's: the largest difference of both cdfs, 0 to 1
};

struct Fits {
  std::vector<Fit> ranked;           ///< best first; never empty
  std::vector<std::string> refused;  ///< one per family: "lognormal: needs times above 0"
};

/// Fits every family. Requires at least two different times.
Fits fit_families(const TimeSample& times, Applies applies);

}  // namespace paceline
