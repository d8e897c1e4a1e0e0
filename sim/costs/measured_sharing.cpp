// SPDX-License-Identifier: MIT
#include "sim/costs/measured_sharing.hpp"

#include <algorithm>
#include <vector>

#include "sim/costs/memory_contention.hpp"

namespace paceline {
namespace {

/// `most`: the bandwidth that one group can draw; 0: not known. It also caps the layers' draws:
/// part of their computed traffic may have stayed in caches.
void add_draws(std::vector<LayerDraw>& draws, const std::vector<Seconds>& times,
               const std::vector<Bytes>& traffic, BytesPerSecond most) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] <= Seconds{}) continue;
    const Bytes moved =
        most > BytesPerSecond{} ? std::min(traffic[i], most * times[i]) : traffic[i];
    draws.push_back({times[i], moved});
  }
}

}  // namespace

void share_as_measured(Costs& costs, const NetworkProfile& measured) {
  const auto most = std::ranges::max_element(measured.shared, {}, &SharedTimes::workers);
  if (most == measured.shared.end()) return;
  std::vector<LayerDraw> draws;
  const BytesPerSecond group = costs.groups->worker_memory;
  add_draws(draws, costs.forward, costs.forward_traffic, group);
  add_draws(draws, costs.backward, costs.backward_traffic, group);
  const BytesPerSecond memory =
      bandwidth_of_groups(draws, most->workers, most->forward + most->backward);
  if (memory <= BytesPerSecond{}) return;
  costs.groups->memory = memory;
  for (BytesPerSecond* part : {&costs.groups->worker_memory, &costs.groups->server_memory}) {
    if (*part <= BytesPerSecond{}) *part = memory;  // the bandwidth per SM is not known
  }
}

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
