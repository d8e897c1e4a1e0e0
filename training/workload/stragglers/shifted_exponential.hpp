// SPDX-License-Identifier: MIT
/// \file
/// A fixed time plus a memoryless one: F(t) = 1 - exp(-(t - shift) / (mean - shift)). `mean` is the
/// mean of the sum.
#pragma once
#include <cmath>
#include <string>

#include "training/workload/stragglers/exponential.hpp"
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class ShiftedExponentialStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override { return shift_ + excess() * unit_exponential(u); }
  Seconds upper_quantile(double share) const override {
    return shift_ + excess() * -std::log(share);
  }
  double cdf(Seconds time) const override {
    if (excess() == Seconds{0}) return time < shift_ ? 0 : 1;
    return time > shift_ ? -std::expm1(-((time - shift_) / excess())) : 0;
  }
  double survival(Seconds time) const override {
    if (excess() == Seconds{0}) return time < shift_ ? 1 : 0;
    return time > shift_ ? std::exp(-((time - shift_) / excess())) : 1;
  }
  Seconds mean() const override { return mean_; }
  double cv() const override { return excess() / mean_; }
  StragglerShape shape() const override {
    const bool fixed = excess() == Seconds{0};
    return {.low = shift_,
            .high = fixed ? shift_ : Seconds{std::numeric_limits<double>::infinity()},
            .aging = shift_ > Seconds{0} ? Aging::new_longer : Aging::memoryless};
  }

  static void describe(Description<ShiftedExponentialStraggler>& d) {
    using Self = ShiftedExponentialStraggler;
    d.required("shift", &Self::shift_, "the fixed part").at_least(Seconds{0});
    d.required("mean", &Self::mean_, "mean of a draw, the fixed part included").above(Seconds{0});
    describe_applies(d);
  }
  std::string invalid() const { return mean_ < shift_ ? "'mean' must be at least 'shift'" : ""; }

 private:
  Seconds excess() const { return mean_ - shift_; }

  Seconds shift_;
  Seconds mean_;
};

}  // namespace paceline
