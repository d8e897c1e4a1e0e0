// SPDX-License-Identifier: MIT
/// \file
/// Any time between `low` and `high`, equally likely: F(t) = (t - low) / (high - low).
#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class UniformStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override { return low_ + (high_ - low_) * u; }
  Seconds upper_quantile(double share) const override { return high_ - (high_ - low_) * share; }
  double cdf(Seconds time) const override {
    if (time >= high_) return 1;  // also where low = high
    return std::max(0.0, (time - low_) / (high_ - low_));
  }
  double survival(Seconds time) const override {
    if (time >= high_) return 0;
    return std::min(1.0, (high_ - time) / (high_ - low_));
  }
  Seconds mean() const override { return (low_ + high_) / 2; }
  double cv() const override {
    return high_ > Seconds{0} ? (high_ - low_) / (std::sqrt(3.0) * (high_ + low_)) : 0;
  }
  StragglerShape shape() const override {
    return {.low = low_, .high = high_, .aging = Aging::new_longer};
  }

  static void describe(Description<UniformStraggler>& d) {
    d.required("low", &UniformStraggler::low_, "the shortest time").at_least(Seconds{0});
    d.required("high", &UniformStraggler::high_, "the longest time").at_least(Seconds{0});
    describe_applies(d);
  }
  std::string invalid() const { return high_ < low_ ? "'high' must be at least 'low'" : ""; }

 private:
  Seconds low_;
  Seconds high_;
};

}  // namespace paceline
