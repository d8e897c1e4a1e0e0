// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/lamb.hpp"

#include <cmath>

namespace paceline {

void Lamb::describe(Description<Lamb>& d) {
  describe_step(d);
  d.optional("beta1", &Lamb::beta1, "share of the gradients' mean kept at each update")
      .at_least(0)
      .below(1);
  d.optional("beta2", &Lamb::beta2, "share of the squares' mean kept at each update")
      .at_least(0)
      .below(1);
  d.optional("epsilon", &Lamb::epsilon, "added to the root of the squares' mean").above(0);
  d.optional("decay", &Lamb::decay, "share of the weights in the direction of a step")
      .at_least(0)
      .below(1);
}

OptimizerStep Lamb::step(double rate, std::int64_t update) const {
  const auto t = static_cast<double>(update);
  LambStep step;
  step.keep_mean = static_cast<float>(beta1);
  step.keep_squares = static_cast<float>(beta2);
  step.mean = static_cast<float>(1 / (1 - std::pow(beta1, t)));
  step.root = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, t)));
  step.least = static_cast<float>(epsilon);
  step.decay = static_cast<float>(decay);
  step.rate = static_cast<float>(rate);
  return step;
}

}  // namespace paceline
