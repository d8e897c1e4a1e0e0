// SPDX-License-Identifier: MIT
/// \file
/// X, the time of one mini-batch on one worker when communication is free: arithmetic of constant
/// time, and a straggler's draw that is added to it or is a lower bound of the total.
#pragma once
#include <optional>
#include <vector>

#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

/// The distribution of X. A straggler that `applies: total` gives X = max(arithmetic, draw), any
/// other X = arithmetic + draw, none X = arithmetic. Keeps a pointer to the straggler.
class StepTime {
 public:
  /// Requires arithmetic >= 0; `straggler` may be null.
  StepTime(Seconds arithmetic, const Straggler* straggler)
      : arithmetic_(arithmetic), straggler_(straggler) {}

  Seconds quantile(double u) const;
  /// quantile(1 - share), exact in the far tail.
  Seconds upper_quantile(double share) const;
  /// The share of mini-batches that take at most `time`.
  double cdf(Seconds time) const;
  /// The share of mini-batches that take longer than `time`, exact in the far tail.
  double survival(Seconds time) const;
  /// E[X]; empty where it does not exist.
  std::optional<Seconds> mean() const;
  StragglerShape shape() const;
  /// The share of draws that are shorter than the arithmetic, where the quantile of `total` has a
  /// corner; 0 if it has none.
  double padded_share() const;
  /// Times between which the cdf is smooth; empty if the quantile is smooth except at the corner of
  /// `padded_share`.
  std::vector<Seconds> corners() const;

 private:
  bool total() const { return straggler_ != nullptr && straggler_->applies == Applies::total; }

  Seconds arithmetic_;
  const Straggler* straggler_;
};

}  // namespace paceline
