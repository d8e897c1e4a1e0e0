// SPDX-License-Identifier: MIT
#include "training/learning/rates/schedules/cosine.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace paceline {

void CosineDecay::describe(Description<CosineDecay>& d) {
  d.required("length", &CosineDecay::length, "rounds or epochs until the rate is 0")
      .at_least({1, 0});
  describe_scaling(d);
}

double CosineDecay::rate(double learning_rate, const Progress& progress) const {
  const double passed = std::min(1.0, share_passed(length, progress));
  return reached(learning_rate, progress) * (1 + std::cos(std::numbers::pi * passed)) / 2;
}

}  // namespace paceline
