// SPDX-License-Identifier: MIT
#include "sim/devices/step_variation.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/erf.hpp>

#include "training/workload/random/draw.hpp"

namespace paceline {

double step_variation(const Costs& costs, WorkId work) {
  const double u =
      uniform(costs.seed, costs.repeat, Purpose::noise, static_cast<std::uint32_t>(work.worker),
              static_cast<std::uint64_t>(work.step));
  const double normal = std::sqrt(2.0) * boost::math::erf_inv(2 * u - 1);
  return std::max(0.01, 1 + costs.variation * std::clamp(normal, -4.0, 4.0));
}

}  // namespace paceline
