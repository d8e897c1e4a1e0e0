// SPDX-License-Identifier: MIT
#include "cli/ring_edges.hpp"

#include "sim/costs/prediction.hpp"
#include "sim/devices/nccl_rings.hpp"

namespace paceline {

std::vector<std::vector<RingEdge>> nccl_ring_edges(const Prediction& setting) {
  std::vector<std::vector<RingEdge>> rings;
  const AllReduce* all_reduce = setting.point->experiment.aggregation->all_reduce();
  const int workers = setting.plan.workers;
  if (all_reduce == nullptr || !all_reduce->native() || workers < 2) return rings;
  const std::vector<int> places(setting.vertices.begin(), setting.vertices.begin() + workers);
  const NcclRings found = find_nccl_rings(*setting.machine, places, setting.costs.collective.rings);
  for (const std::vector<int>& order : found.rings) {
    auto& edges = rings.emplace_back();
    for (std::size_t i = 0; i < order.size(); ++i) {
      edges.push_back({order[i], order[(i + 1) % order.size()]});
    }
  }
  return rings;
}

double bytes_on_edge(const Prediction& setting, double bytes, std::size_t rings, bool staged) {
  const double ranks = setting.plan.workers;
  const CollectiveCost& cost = setting.costs.collective;
  const Percent share = staged ? cost.staged_efficiency : cost.efficiency;
  return 2 * (ranks - 1) / ranks * bytes / static_cast<double>(rings) / share.fraction;
}

}  // namespace paceline
