// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/lars.hpp"

namespace paceline {

void Lars::describe(Description<Lars>& d) {
  describe_step(d);
  d.optional("momentum", &Lars::momentum, "share of the velocity kept at each update")
      .at_least(0)
      .below(1);
  d.optional("decay", &Lars::decay, "share of the weights in the direction of a step")
      .at_least(0)
      .below(1);
  d.optional("trust", &Lars::trust,
             "how far a layer moves at a rate of 1, as a share of the length of its weights")
      .above(0);
}

OptimizerStep Lars::step(double rate, std::int64_t /*update*/) const {
  LarsStep step;
  step.keep = static_cast<float>(momentum);
  step.decay = static_cast<float>(decay);
  step.trust = static_cast<float>(trust);
  step.rate = static_cast<float>(rate);
  return step;
}

}  // namespace paceline
