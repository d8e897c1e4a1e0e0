// SPDX-License-Identifier: MIT
#include "sim/devices/card_memory.hpp"

#include <algorithm>

#include "sim/devices/time_shared_card.hpp"

namespace paceline {

CardMemory::CardMemory(const Costs& costs, FluidNetwork& network)
    : network_(network), shares_(*costs.groups) {
  if (shares_.memory > BytesPerSecond{}) memory_ = network_.add_resource(shares_.memory.value());
  if (!costs.turns.empty()) {
    const Use use{add_turns(network_, costs.turns), 1.0};
    turns_ = network_.add_route({&use, 1}, 1.0);
  }
  forward_ = passes(costs.forward, costs.forward_traffic);
  backward_ = passes(costs.backward, costs.backward_traffic);
  validation_ = passes(costs.validation, costs.validation_traffic);
  for (const BytesPerSecond limit : {shares_.worker_memory, shares_.server_memory}) {
    if (memory_) route(std::min(limit, shares_.memory).value());
  }
}

std::vector<CardMemory::Work> CardMemory::passes(const std::vector<Seconds>& times,
                                                 const std::vector<Bytes>& traffic) {
  std::vector<Work> works;
  for (std::size_t i = 0; i < times.size(); ++i) {
    Work work;
    work.ps = times[i].value() * 1e12;
    if (turns_ && times[i] > Seconds{0}) {
      work.bytes = times[i].value();
      work.route = *turns_;
    } else if (memory_ && i < traffic.size() && traffic[i] > Bytes{0} && times[i] > Seconds{0}) {
      // measured times may be shorter than what is thought to be moved takes
      const BytesPerSecond most = std::min(shares_.worker_memory, shares_.memory);
      const double demand = std::min(traffic[i] / times[i], most).value();
      work.bytes = demand * times[i].value();
      work.route = route(demand);
    }
    works.push_back(work);
  }
  return works;
}

CardMemory::Work CardMemory::over_parameters(bool worker, double ps) const {
  Work work;
  work.ps = ps;
  if (!memory_) return work;
  const BytesPerSecond group = worker ? shares_.worker_memory : shares_.server_memory;
  const double demand = std::min(group, shares_.memory).value();
  work.bytes = demand * ps * 1e-12;
  work.route = routes_.at(demand);
  return work;
}

RouteId CardMemory::route(double limit) {
  const auto [found, added] = routes_.try_emplace(limit);
  if (added) {
    const Use use{*memory_, 1.0};
    found->second = network_.add_route({&use, 1}, limit);
  }
  return found->second;
}

}  // namespace paceline
