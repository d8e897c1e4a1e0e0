// SPDX-License-Identifier: MIT
/// \file
/// The same time for every mini-batch: F(t) = 1 for t >= value. It checks that a prediction without
/// randomness is exact.
#pragma once
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class ConstantStraggler final : public Straggler {
 public:
  Seconds quantile(double) const override { return value_; }
  Seconds upper_quantile(double) const override { return value_; }
  double cdf(Seconds time) const override { return time < value_ ? 0 : 1; }
  double survival(Seconds time) const override { return 1 - cdf(time); }
  Seconds mean() const override { return value_; }
  double cv() const override { return 0; }
  StragglerShape shape() const override {
    return {.low = value_, .high = value_, .aging = Aging::new_longer};
  }

  static void describe(Description<ConstantStraggler>& d) {
    d.required("value", &ConstantStraggler::value_, "the time").at_least(Seconds{0});
    describe_applies(d);
  }

 private:
  Seconds value_;
};

}  // namespace paceline
