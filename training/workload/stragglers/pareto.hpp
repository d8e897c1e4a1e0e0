// SPDX-License-Identifier: MIT
/// \file
/// A power-law tail: F(t) = 1 - (minimum / t)^shape. Workers are rarely late, but then very late;
/// the mean exists for shape > 1 only, the deviation for shape > 2 only.
#pragma once
#include <cmath>

#include "training/workload/stragglers/exponential.hpp"
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class ParetoStraggler final : public Straggler {
 public:
  Seconds quantile(double u) const override {
    return minimum_ * std::exp(unit_exponential(u) / shape_);
  }
  Seconds upper_quantile(double share) const override {
    return minimum_ * std::exp(-std::log(share) / shape_);
  }
  double cdf(Seconds time) const override {
    return time > minimum_ ? -std::expm1(shape_ * std::log(minimum_ / time)) : 0;
  }
  double survival(Seconds time) const override {
    return time > minimum_ ? std::exp(shape_ * std::log(minimum_ / time)) : 1;
  }
  Seconds mean() const override {
    return shape_ > 1 ? minimum_ * (shape_ / (shape_ - 1))
                      : Seconds{std::numeric_limits<double>::infinity()};
  }
  double cv() const override {
    return shape_ > 2 ? 1 / std::sqrt(shape_ * (shape_ - 2))
                      : std::numeric_limits<double>::infinity();
  }
  StragglerShape shape() const override { return {.low = minimum_, .index = shape_}; }

  static void describe(Description<ParetoStraggler>& d) {
    d.required("minimum", &ParetoStraggler::minimum_, "the shortest time").above(Seconds{0});
    // Below 0.1 the draws span more than the 300 decades of a double.
    d.required("shape", &ParetoStraggler::shape_, "exponent of the tail, smaller is heavier")
        .at_least(0.1);
    describe_applies(d);
  }

 private:
  Seconds minimum_;
  double shape_ = 0;
};

}  // namespace paceline
