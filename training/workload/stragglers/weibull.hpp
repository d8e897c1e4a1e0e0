// SPDX-License-Identifier: MIT
/// \file
/// A lifetime: F(t) = 1 - exp(-(t / scale)^shape). Shape 1 is exponential; a smaller shape has a
/// longer tail, a larger shape a shorter tail.
#pragma once
#include <cmath>

#include "training/workload/stragglers/exponential.hpp"
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class WeibullStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override {
    return scale_ * std::pow(unit_exponential(u), 1 / shape_);
  }
  Seconds upper_quantile(double share) const override {
    return scale_ * std::pow(-std::log(share), 1 / shape_);
  }
  double cdf(Seconds time) const override {
    return time > Seconds{0} ? -std::expm1(-std::pow(time / scale_, shape_)) : 0;
  }
  double survival(Seconds time) const override {
    return time > Seconds{0} ? std::exp(-std::pow(time / scale_, shape_)) : 1;
  }
  Seconds mean() const override { return scale_ * std::tgamma(1 + 1 / shape_); }
  double cv() const override {
    // E[X^2] / E[X]^2 - 1, in logarithms
    return std::sqrt(std::expm1(std::lgamma(1 + 2 / shape_) - 2 * std::lgamma(1 + 1 / shape_)));
  }
  StragglerShape shape() const override {
    const Aging aging = shape_ > 1 ? Aging::new_longer : Aging::neither;  // rising, falling hazard
    return {.aging = shape_ == 1 ? Aging::memoryless : aging};
  }

  static void describe(Description<WeibullStraggler>& d) {
    using Self = WeibullStraggler;
    d.required("scale", &Self::scale_, "the time that 63 % of the draws stay below")
        .above(Seconds{0});
    // Below 0.1 the mean is millions of medians; above 1000 the draws differ by a thousandth.
    d.required("shape", &Self::shape_, "1 is exponential, smaller has the longer tail")
        .at_least(0.1)
        .at_most(1000);
    describe_applies(d);
  }

 private:
  Seconds scale_;
  double shape_ = 1;
};

}  // namespace paceline
