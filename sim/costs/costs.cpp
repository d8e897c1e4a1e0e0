// SPDX-License-Identifier: MIT
#include "sim/costs/costs.hpp"

#include <numeric>

namespace paceline {

Seconds Costs::forward_total() const {
  return std::accumulate(forward.begin(), forward.end(), Seconds{});
}

Seconds Costs::backward_total() const {
  return std::accumulate(backward.begin(), backward.end(), Seconds{});
}

Seconds Costs::arithmetic(int worker) const {
  return (forward_total() + backward_total()) * slowdown_of(worker);
}

}  // namespace paceline
