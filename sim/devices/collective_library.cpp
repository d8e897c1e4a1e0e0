// SPDX-License-Identifier: MIT
#include "sim/devices/collective_library.hpp"

#include <utility>

namespace paceline {

CollectiveLibrary::CollectiveLibrary(const Machine& machine, const std::vector<int>& vertices,
                                     const DeviceContext& context, DeviceListener& listener,
                                     Paths& paths, OwnGpu* gpus)
    : machine_(machine),
      vertices_(vertices),
      context_(context),
      listener_(listener),
      paths_(paths),
      gpus_(gpus) {}

void CollectiveLibrary::launch(std::vector<OpIndex> ops, const Command::Collective& collective) {
  const auto number = static_cast<std::uint32_t>(calls_.size());
  calls_.push_back({std::move(ops), 0, collective.slice.bytes});
  if (rings_.rings.empty()) lay_rings(collective.ranks);
  const CollectiveCost& cost = context_.costs.collective;
  const Seconds latency = cost.launch + cost.step_latency * (2.0 * (collective.ranks - 1));
  set_speed(1 - cost.contention.fraction);
  context_.time.push(EventKind::collective_start, (context_.time.now() + latency).ps, number);
}

void CollectiveLibrary::lay_rings(int ranks) {
  rings_ = find_nccl_rings(machine_, {vertices_.begin(), vertices_.begin() + ranks},
                           context_.costs.collective.rings);
  for (const std::vector<int>& ring : rings_.rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Path& way = paths_.between(ring[i], ring[(i + 1) % ring.size()]);
      if (!way.free) edges_.push_back(&way);
    }
  }
}

void CollectiveLibrary::start(std::uint32_t number) {
  Call& call = calls_[number];
  const auto ranks = static_cast<double>(call.ops.size());
  const double bytes =
      2 * (ranks - 1) / ranks * call.bytes / static_cast<double>(rings_.rings.size());
  const CollectiveCost& cost = context_.costs.collective;
  call.flows_left = static_cast<int>(edges_.size());
  for (const Path* edge : edges_) {
    const Percent share = edge->staged ? cost.staged_efficiency : cost.efficiency;
    ++flows_;
    context_.network.start(edge->route, bytes / share.fraction, context_.time.now().ps,
                           kFirstFlow | number);
  }
  if (call.flows_left == 0) finish(number);
}

void CollectiveLibrary::note_flow_end(std::uint32_t payload) {
  const std::uint32_t number = payload & ~kFirstFlow;
  if (--calls_[number].flows_left == 0) finish(number);
}

void CollectiveLibrary::finish(std::uint32_t number) {
  set_speed(1);
  const std::vector<OpIndex> ops = std::move(calls_[number].ops);
  for (const OpIndex op : ops) listener_.ended(op, Outcome::done);
}

}  // namespace paceline
