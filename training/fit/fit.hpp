// SPDX-License-Identifier: MIT
/// \file
/// Which distribution of `stragglers:` measured times came from: every family at its maximum
/// likelihood, in the order of Akaike's criterion, AIC = 2 parameters - 2 ln L (IEEE Trans.
/// Automatic Control 19(6), 1974). Smaller is better; a difference of 10 is overwhelming.
#pragma once
#include <string>
#include <vector>

#include "training/stragglers/measured/time_sample.hpp"
#include "training/stragglers/stragglers.hpp"

namespace paceline {

/// A family at its maximum likelihood.
struct Fit {
  Choice<Straggler> straggler;  ///< as the experiment file would read it
  int parameters = 0;
  double log_likelihood = 0;  ///< of the times in seconds
  double aic = 0;
  double distance = 0;  ///< Kolmogorov's: the largest between both cdfs, 0 to 1
};

struct Fits {
  std::vector<Fit> ranked;           ///< the best first; never empty
  std::vector<std::string> refused;  ///< "lognormal: needs times above 0", a family each
};

/// Fits every family. Requires at least two different times.
Fits fit_families(const TimeSample& times, Applies applies);

}  // namespace paceline
