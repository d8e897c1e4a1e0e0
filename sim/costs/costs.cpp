// SPDX-License-Identifier: MIT
#include "training/costs.hpp"

#include <numeric>

namespace paceline {

Seconds Costs::forward_total() const {
  return std::accumulate(forward.begin(), forward.end(), Seconds{});
}

Seconds Costs::backward_total() const {
  return std::accumulate(backward.begin(), backward.end(), Seconds{});
}

Seconds Costs::arithmetic(int worker) const {
  const double slow = slowdown.empty() ? 1 : slowdown[static_cast<std::size_t>(worker)];
  return (forward_total() + backward_total()) * slow;
}

}  // namespace paceline
