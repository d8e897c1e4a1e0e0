// SPDX-License-Identifier: MIT
#include "sim/costs/costs.hpp"

#include <algorithm>
#include <numeric>

namespace paceline {

Seconds UpdateKernels::of(const Slice& slice) const {
  const auto first = std::ranges::lower_bound(tensors, slice.begin);
  return launch * static_cast<double>(std::lower_bound(first, tensors.end(), slice.end) - first);
}

Seconds Costs::forward_total() const {
  return std::accumulate(forward.begin(), forward.end(), Seconds{});
}

Seconds Costs::backward_total() const {
  return std::accumulate(backward.begin(), backward.end(), Seconds{});
}

Seconds Costs::arithmetic(int worker) const {
  return (forward_total() + backward_total()) * slowdown_of(worker);
}

double Costs::dispatches(const LayerRange& layers) const {
  if (loop_operations.empty()) return layers.count();
  double sum = 0;
  for (std::int32_t i = layers.first; i < layers.last; ++i) {
    sum += static_cast<double>(
        std::max(std::int64_t{1}, loop_operations[static_cast<std::size_t>(i)]));
  }
  return sum;
}

bool Costs::loops(const LayerRange& layers) const {
  return !loop_operations.empty() &&
         std::any_of(loop_operations.begin() + layers.first, loop_operations.begin() + layers.last,
                     [](std::int64_t operations) { return operations > 0; });
}

}  // namespace paceline
