// SPDX-License-Identifier: MIT
#include "sim/devices/collective_library.hpp"

#include <utility>

namespace paceline {

CollectiveLibrary::CollectiveLibrary(const Machine& machine, const std::vector<int>& vertices,
                                     const DeviceContext& context, DeviceListener& listener,
                                     Paths& paths, OwnGpu* gpus)
    : context_(context),
      listener_(listener),
      gpus_(gpus),
      costs_(machine, vertices, context.costs, paths) {}

void CollectiveLibrary::launch(std::vector<OpIndex> ops, const Command::Collective& collective) {
  const auto number = static_cast<std::uint32_t>(calls_.size());
  const LibraryCost& cost = costs_.of(collective);
  calls_.push_back({std::move(ops), &cost, 0});
  set_speed(cost.speed);
  context_.time.push(EventKind::collective_start, (context_.time.now() + cost.latency).ps, number);
}

void CollectiveLibrary::start(std::uint32_t number) {
  Call& call = calls_[number];
  call.flows_left = call.cost->flows.size();
  flows_ += call.flows_left;
  for (const auto& [way, bytes] : call.cost->flows) {
    context_.network.start(way->route, bytes, context_.time.now().ps,
                           context_.time.flow(kFirstFlow | number));
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
  listener_.combine(ops.front());
  for (const OpIndex op : ops) listener_.ended(op, Outcome::done);
}

}  // namespace paceline
