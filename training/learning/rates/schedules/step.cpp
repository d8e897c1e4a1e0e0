// SPDX-License-Identifier: MIT
#include "training/learning/rates/schedules/step.hpp"

#include <algorithm>

namespace paceline {

void StepDecay::describe(Description<StepDecay>& d) {
  d.required("at", &StepDecay::at, "when the rate falls, in rounds or epochs from the start");
  d.optional("factor", &StepDecay::factor, "factor of the rate at each of these times")
      .above(0)
      .at_most(1);
  describe_scaling(d);
}

std::string StepDecay::invalid() const {
  const bool good = std::all_of(
      at.begin(), at.end(), [](const Length& time) { return time.rounds > 0 || time.epochs != 0; });
  return good && !at.empty() ? "" : "'at' must be a list of rounds or epochs, each > 0";
}

double StepDecay::rate(double learning_rate, const Progress& progress) const {
  double rate = reached(learning_rate, progress);
  for (const Length& time : at) {
    if (share_passed(time, progress) >= 1) rate *= factor;
  }
  return rate;
}

bool StepDecay::needs_epochs() const {
  return in_epochs() ||
         std::any_of(at.begin(), at.end(), [](const Length& time) { return time.epochs != 0; });
}

}  // namespace paceline
