// SPDX-License-Identifier: MIT
#include "training/rates/staleness/distance.hpp"

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
  if (scheduled <= 0) return 1;  // nothing moves, whatever the weight
  const double largest = max.value_or(scheduled);
  // A product, as the distance of a fresh gradient is 0.
  const bool near = squared_distance * largest <= c;
  return (near ? largest : c / squared_distance) / scheduled;
}

}  // namespace paceline
