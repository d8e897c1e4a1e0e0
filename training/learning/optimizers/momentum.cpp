// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/momentum.hpp"

namespace paceline {

void Momentum::describe(Description<Momentum>& d) {
  describe_step(d);
  d.optional("momentum", &Momentum::momentum, "share of the velocity kept at each update")
      .at_least(0)
      .below(1);
}

OptimizerStep Momentum::step(double rate, std::int64_t /*update*/) const {
  return MomentumStep{static_cast<float>(momentum), static_cast<float>(rate)};
}

}  // namespace paceline
