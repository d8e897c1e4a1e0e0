// SPDX-License-Identifier: MIT
#include "sim/devices/library_costs.hpp"

namespace paceline {

const LibraryCost& LibraryCosts::of(const Command::Collective& collective) {
  const std::pair key{collective.operation, collective.slice.bytes};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (!model_) {
    const auto end = vertices_.begin() + collective.ranks;
    model_.emplace(machine_, std::vector<int>(vertices_.begin(), end), costs_);
  }
  const LibraryCall call = model_->call(collective.operation, collective.slice.bytes);
  LibraryCost& cost = known_[key];
  cost.latency = call.latency;
  cost.speed = 1 - call.occupied.fraction;
  for (const LibraryFlow& flow : call.flows) {
    const Path& way = paths_.between(flow.from, flow.to);
    if (!way.free) cost.flows.emplace_back(&way, flow.bytes);
  }
  return cost;
}

}  // namespace paceline
