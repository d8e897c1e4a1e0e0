// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/adagrad.hpp"

namespace paceline {

void Adagrad::describe(Description<Adagrad>& d) {
  describe_step(d);
  d.optional("epsilon", &Adagrad::epsilon, "added to the root of the sum, so that it is not 0")
      .above(0);
}

OptimizerStep Adagrad::step(double rate, std::int64_t /*update*/) const {
  return AdagradStep{static_cast<float>(rate), static_cast<float>(epsilon)};
}

}  // namespace paceline
