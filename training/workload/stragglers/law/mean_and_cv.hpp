// SPDX-License-Identifier: MIT
/// \file
/// The keys `mean` and `cv` of the distributions that are given by their mean and spread.
#pragma once
#include "experiments/language/ratio.hpp"
#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

class MeanAndCvStraggler : public Straggler {
 public:
  // These bounds keep 1 / cv^2 where the incomplete gamma function has full precision.
  static constexpr Ratio kLeastCv{0.001};
  static constexpr Ratio kMostCv{10};

  Seconds mean() const override { return mean_; }
  double cv() const override { return cv_; }

  /// The keys of `Kind`, which derives from this.
  template <class Kind>
  static void describe_keys(Description<Kind>& d) {
    using Self = MeanAndCvStraggler;
    d.required("mean", static_cast<Seconds Kind::*>(&Self::mean_), "mean of a draw")
        .above(Seconds{0});
    d.required("cv", static_cast<Ratio Kind::*>(&Self::cv_), "deviation over mean")
        .at_least(kLeastCv)
        .at_most(kMostCv);
    describe_applies(d);
  }

 protected:
  Seconds mean_;
  Ratio cv_{1};
};

}  // namespace paceline
