// SPDX-License-Identifier: MIT
/// \file
/// Estimating one family of distributions from measured times: the parameters that make the times
/// likeliest, in the keys that the experiment file gives them. A new family is one file beside this
/// one and one row in fit.cpp.
#pragma once
#include <string>

#include "experiments/tree.hpp"
#include "training/fit/fit_sample.hpp"

namespace paceline {

/// The maximum of a family's likelihood.
struct FamilyEstimate {
  Tree keys = Tree::map();    ///< the family's own, without `kind` and `applies`
  double log_likelihood = 0;  ///< of the times in seconds
  std::string refused{};      ///< why there is no maximum; "" where there is one
};

/// A row of the table of families.
struct EstimatedFamily {
  const char* kind;  ///< as the experiment file names it
  int parameters;    ///< how many were chosen
  FamilyEstimate (*estimate)(const FitSample&);
};

FamilyEstimate estimate_uniform(const FitSample& sample);
FamilyEstimate estimate_normal(const FitSample& sample);
FamilyEstimate estimate_exponential(const FitSample& sample);
FamilyEstimate estimate_shifted_exponential(const FitSample& sample);
FamilyEstimate estimate_gamma(const FitSample& sample);
FamilyEstimate estimate_lognormal(const FitSample& sample);
FamilyEstimate estimate_weibull(const FitSample& sample);
FamilyEstimate estimate_pareto(const FitSample& sample);

/// A time in seconds and a plain number, as keys have them.
Tree time_key(double seconds);
Tree number_key(double number);
/// The refusal of the families that have no time 0.
inline constexpr const char* kNeedsPositive = "needs times above 0";

}  // namespace paceline
