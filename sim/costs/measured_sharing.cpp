// SPDX-License-Identifier: MIT
#include "sim/costs/measured_sharing.hpp"

#include <algorithm>
#include <vector>

namespace paceline {

void take_turns_as_measured(Costs& costs, const NetworkProfile& measured) {
  const Seconds alone = measured.forward_total() + measured.backward_total();
  costs.turns.clear();
  if (measured.shared.empty() || alone <= Seconds{}) return;
  costs.turns.push_back(1);
  for (const SharedTimes& shared : measured.shared) {
    const auto workers = static_cast<std::size_t>(shared.workers);
    const std::size_t known = costs.turns.size();
    if (workers <= known) continue;
    const double whole = shared.workers * (alone / (shared.forward + shared.backward));
    const double before = costs.turns.back();
    // Interpolates linearly between two measured numbers of workers.
    for (std::size_t n = known + 1; n <= workers; ++n) {
      const double way = static_cast<double>(n - known) / static_cast<double>(workers - known);
      const double together = before + (whole - before) * way;
      costs.turns.push_back(std::min(together, static_cast<double>(n)));
    }
  }
}

}  // namespace paceline
