// SPDX-License-Identifier: MIT
/// \file
/// Estimates one family of distributions from measured times: the parameters of maximum likelihood,
/// as the keys of an experiment file. A new family is one file beside this one and one row in
/// fit.cpp.
#pragma once
#include <string>

#include "experiments/language/tree.hpp"
#include "training/workload/fit/fit_sample.hpp"

namespace paceline {

/// A family at the maximum of its likelihood.
struct FamilyEstimate {
  Tree keys = Tree::map();    ///< the family's keys, without `kind` and `applies`
  double log_likelihood = 0;  ///< of the times in seconds
  std::string refused{};      ///< why there is no maximum; "" where there is one
};

/// A row of the table of families.
struct EstimatedFamily {
  const char* kind;  ///< as the experiment file names it
  int parameters;    ///< number of parameters estimated
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

/// A time in seconds, and a plain number, as the value of a key.
Tree time_key(double seconds);
Tree number_key(double number);
/// The reason for which families without the time 0 refuse a sample.
inline constexpr const char* kNeedsPositive = "needs times above 0";

}  // namespace paceline
