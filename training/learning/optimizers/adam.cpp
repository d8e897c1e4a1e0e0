// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/adam.hpp"

#include <cmath>

namespace paceline {

void Adam::describe(Description<Adam>& d) {
  describe_step(d);
  d.optional("beta1", &Adam::beta1, "share of the gradients' mean kept at each update")
      .at_least(0)
      .below(1);
  d.optional("beta2", &Adam::beta2, "share of the squares' mean kept at each update")
      .at_least(0)
      .below(1);
  d.optional("epsilon", &Adam::epsilon, "added to the root of the squares' mean").above(0);
}

OptimizerStep Adam::step(double rate, std::int64_t update) const {
  const auto t = static_cast<double>(update);
  AdamStep step;
  step.keep_mean = static_cast<float>(beta1);
  step.keep_squares = static_cast<float>(beta2);
  step.rate = static_cast<float>(rate / (1 - std::pow(beta1, t)));
  step.root = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, t)));
  step.least = static_cast<float>(epsilon);
  return step;
}

}  // namespace paceline
