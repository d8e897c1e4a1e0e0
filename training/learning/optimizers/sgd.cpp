// SPDX-License-Identifier: MIT
#include "training/learning/optimizers/sgd.hpp"

namespace paceline {

OptimizerStep Sgd::step(double rate, std::int64_t /*update*/) const {
  return SgdStep{static_cast<float>(rate)};
}

}  // namespace paceline
