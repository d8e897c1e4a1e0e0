// SPDX-License-Identifier: MIT
/// \file
/// What the distributions that are given by their mean and spread have in common: those two keys.
#pragma once
#include "training/stragglers/straggler.hpp"

namespace paceline {

class MeanAndCvStraggler : public Straggler {
 public:
  Seconds mean() const override { return mean_; }
  double cv() const override { return cv_; }

  /// The keys of `Kind`, which derives from this.
  template <class Kind>
  static void describe_keys(Description<Kind>& d) {
    using Self = MeanAndCvStraggler;
    d.required("mean", static_cast<Seconds Kind::*>(&Self::mean_), "mean of a draw")
        .above(Seconds{0});
    // The bounds keep 1 / cv^2 where the incomplete gamma function is evaluated to full precision.
    d.required("cv", static_cast<double Kind::*>(&Self::cv_), "deviation over mean")
        .at_least(0.001)
        .at_most(10);
    describe_applies(d);
  }

 protected:
  Seconds mean_;
  double cv_ = 1;
};

}  // namespace paceline
