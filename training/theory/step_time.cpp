// SPDX-License-Identifier: MIT
#include "training/theory/step_time.hpp"

#include <algorithm>
#include <cmath>

#include "training/theory/order_statistic.hpp"

namespace paceline {

Seconds StepTime::quantile(double u) const {
  if (straggler_ == nullptr) return arithmetic_;
  const Seconds draw = straggler_->quantile(u);
  return total() ? std::max(arithmetic_, draw) : arithmetic_ + draw;
}

Seconds StepTime::upper_quantile(double share) const {
  if (straggler_ == nullptr) return arithmetic_;
  const Seconds draw = straggler_->upper_quantile(share);
  return total() ? std::max(arithmetic_, draw) : arithmetic_ + draw;
}

double StepTime::cdf(Seconds time) const {
  if (time < arithmetic_) return 0;
  if (straggler_ == nullptr) return 1;
  return straggler_->cdf(total() ? time : time - arithmetic_);
}

double StepTime::survival(Seconds time) const {
  if (time < arithmetic_) return 1;
  if (straggler_ == nullptr) return 0;
  return straggler_->survival(total() ? time : time - arithmetic_);
}

std::optional<Seconds> StepTime::mean() const {
  if (straggler_ == nullptr) return arithmetic_;
  if (total()) return expected_order_statistic(*this, 1, 1);
  const Seconds draw = straggler_->mean();
  if (!std::isfinite(draw.value())) return std::nullopt;
  return arithmetic_ + draw;
}

StragglerShape StepTime::shape() const {
  if (straggler_ == nullptr) {
    return {.low = arithmetic_, .high = arithmetic_, .aging = Aging::new_longer};
  }
  StragglerShape shape = straggler_->shape();
  shape.low = total() ? std::max(arithmetic_, shape.low) : arithmetic_ + shape.low;
  shape.high = total() ? std::max(arithmetic_, shape.high) : arithmetic_ + shape.high;
  // With a constant added to a memoryless time, or a floor under it, a new draw is longer than the
  // rest of an old one.
  if (arithmetic_ > Seconds{0} && shape.aging == Aging::memoryless) shape.aging = Aging::new_longer;
  return shape;
}

double StepTime::padded_share() const {
  return total() ? straggler_->cdf(arithmetic_) : 0;
}

std::vector<Seconds> StepTime::corners() const {
  if (straggler_ == nullptr) return {};
  std::vector<Seconds> all = straggler_->corners();
  for (Seconds& time : all) time = total() ? std::max(arithmetic_, time) : arithmetic_ + time;
  return all;
}

}  // namespace paceline
