// SPDX-License-Identifier: MIT
#include "training/workload/fit/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include "experiments/language/unit_table.hpp"
#include "training/workload/fit/family_estimate.hpp"

namespace paceline {
namespace {

constexpr std::array<EstimatedFamily, 8> kFamilies{{
    {"uniform", 2, estimate_uniform},
    {"normal", 2, estimate_normal},
    {"exponential", 1, estimate_exponential},
    {"shifted-exponential", 2, estimate_shifted_exponential},
    {"gamma", 2, estimate_gamma},
    {"lognormal", 2, estimate_lognormal},
    {"weibull", 2, estimate_weibull},
    {"pareto", 2, estimate_pareto},
}};

double distance_of(const Straggler& straggler, const std::vector<double>& times) {
  const auto count = static_cast<double>(times.size());
  double distance = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double share = straggler.cdf(Seconds{times[i]});
    distance = std::max({distance, share - static_cast<double>(i) / count,
                         static_cast<double>(i + 1) / count - share});
  }
  return distance;
}

/// A search for the maximum that does not converge is a refusal of the family, not an error.
FamilyEstimate estimate_of(const EstimatedFamily& family, const FitSample& sample) {
  try {
    return family.estimate(sample);
  } catch (const std::exception&) {  // from Boost.Math; its text names functions, not times
    FamilyEstimate none;
    none.refused = "its likelihood has no maximum that can be found";
    return none;
  }
}

/// The message of an error line without its location: "'cv' must be ...".
std::string without_place(const std::string& line) {
  const std::size_t at = line.find("error: ");
  return at == std::string::npos ? line : line.substr(at + 7);
}

}  // namespace

Tree time_key(double seconds) {
  return Value<Seconds>::write(Seconds{seconds});
}

Tree number_key(double number) {
  return Value<double>::write(number);
}

Fits fit_families(const TimeSample& times, Applies applies) {
  const FitSample sample(times.times());
  Fits fits;
  for (const EstimatedFamily& family : kFamilies) {
    const FamilyEstimate estimate = estimate_of(family, sample);
    const std::string kind = family.kind;
    if (!estimate.refused.empty()) {
      fits.refused.push_back(kind + ": " + estimate.refused);
      continue;
    }
    Tree tree = Tree::map();
    tree.set("kind", Tree::scalar(kind));
    for (const Member& key : estimate.keys.members) tree.set(key.key, key.value);
    tree.set("applies", Value<Applies>::write(applies));
    Fit fit;
    Diagnostics diagnostics;
    if (!Value<Choice<Straggler>>::read(fit.straggler, tree, diagnostics)) {
      fits.refused.push_back(kind + ": " + without_place(diagnostics.lines().front()));
      continue;
    }
    fit.parameters = family.parameters;
    fit.log_likelihood = estimate.log_likelihood;
    fit.aic = 2 * family.parameters - 2 * estimate.log_likelihood;
    fit.distance = distance_of(*fit.straggler, times.times());
    fits.ranked.push_back(std::move(fit));
  }
  std::stable_sort(fits.ranked.begin(), fits.ranked.end(),
                   [](const Fit& a, const Fit& b) { return a.aic < b.aic; });
  return fits;
}

}  // namespace paceline
