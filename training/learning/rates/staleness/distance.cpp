// SPDX-License-Identifier: MIT
#include "training/learning/rates/staleness/distance.hpp"

#include <algorithm>

namespace paceline {

void DistanceStaleness::describe(Description<DistanceStaleness>& d) {
  d.required("c", &DistanceStaleness::c, "rate x squared distance that a gradient may use up")
      .above(0);
  d.optional("max", &DistanceStaleness::max, "largest rate of a gradient (default: the scheduled)")
      .above(0.0);
}

double DistanceStaleness::weight(double scheduled, double /*staleness*/,
                                 double squared_distance) const {
  if (scheduled <= 0) return 1;  // no weight moves
  const double largest = max.value_or(scheduled);
  // Written as a product, because the distance of a fresh gradient is 0.
  const bool near = squared_distance * largest <= c;
  return (near ? largest : c / squared_distance) / scheduled;
}

StalenessStatement DistanceStaleness::statement() const {
  return {
      "the squared distance |w - w'|^2 between the weights a gradient is applied to and those "
      "it was computed at, in each shard for itself",
      "rate of the gradient = min(c / |w - w'|^2, max), as its weight relative to the "
      "scheduled rate; max is the scheduled rate unless given",
      "Dutta et al., \"Slow and stale gradients can win the race\", AISTATS 2018, section 5"};
}

}  // namespace paceline
