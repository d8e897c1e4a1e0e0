// SPDX-License-Identifier: MIT
/// \file
/// Staleness rules: how an update treats gradients that were computed at older weights. A new rule
/// is one file in staleness/ and one row in staleness_rule.cpp.
#pragma once
#include <string>

#include "experiments/language/family.hpp"

namespace paceline {

/// The description of a rule for docs/policies.md.
struct StalenessStatement {
  std::string figure;  ///< the quantity that the rule depends on
  std::string effect;
  std::string source;
};

/// The staleness of a gradient is the number of updates between the weights at which it was
/// computed and the weights to which it is applied.
class StalenessRule {
 public:
  virtual ~StalenessRule() = default;
  /// Weight of one gradient in its update. `scheduled` is the rate of the schedule,
  /// `squared_distance` is |w_now - w_at|^2 between the weights to which the gradient is applied
  /// and those at which it was computed (0 unless needs_distance()).
  virtual double weight(double /*scheduled*/, double /*staleness*/,
                        double /*squared_distance*/) const {
    return 1;
  }
  /// The update's rate, given the mean staleness of its gradients.
  virtual double rate(double scheduled, double /*mean_staleness*/) const { return scheduled; }
  virtual bool needs_distance() const { return false; }
  /// Whether weights differ between gradients, so that sums must be weighted.
  virtual bool weighs_gradients() const { return false; }
  virtual StalenessStatement statement() const = 0;
};

/// The rules that a user may name.
const Family<StalenessRule>& table_of(const StalenessRule*);

}  // namespace paceline
