// SPDX-License-Identifier: MIT
/// \file
/// Staleness rules: what an update makes of gradients that were computed at older weights. A new
/// rule is one file in staleness/ and one row in staleness_rule.cpp.
#pragma once
#include <string>

#include "experiments/family.hpp"

namespace paceline {

/// What a rule does, for docs/policies.md.
struct StalenessStatement {
  std::string figure;  ///< what it looks at
  std::string effect;
  std::string source;
};

/// Staleness counts the updates between the weights of a gradient and those it is applied to.
class StalenessRule {
 public:
  virtual ~StalenessRule() = default;
  /// Weight of one gradient in its update. `scheduled` is the rate of the schedule,
  /// `squared_distance` |w_now - w_at|^2 between the weights it is applied to and those it was
  /// computed at (asked for only if needs_distance(), else 0).
  virtual double weight(double /*scheduled*/, double /*staleness*/,
                        double /*squared_distance*/) const {
    return 1;
  }
  /// The update's rate, given the mean staleness of its gradients.
  virtual double rate(double scheduled, double /*mean_staleness*/) const { return scheduled; }
  virtual bool needs_distance() const { return false; }
  /// Whether weights differ from gradient to gradient, so that a sum must weigh them.
  virtual bool weighs_gradients() const { return false; }
  virtual StalenessStatement statement() const = 0;
};

/// The rules a user may name.
const Family<StalenessRule>& table_of(const StalenessRule*);

}  // namespace paceline
