// SPDX-License-Identifier: MIT
#include "sim/network/fluid_network.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace paceline {

ResourceId FluidNetwork::add_resource(double capacity, std::vector<double> shares) {
  const ResourceId id = grouping_.add_resource(capacity, !shares.empty());
  resources_.emplace_back();
  resources_.back().shares = std::move(shares);
  return id;
}

RouteId FluidNetwork::add_route(std::span<const Use> uses, double rate_limit) {
  const RouteId id = grouping_.add_route(uses, rate_limit);
  routes_.emplace_back();
  return id;
}

FlowId FluidNetwork::start(RouteId route, double amount, std::int64_t now_ps,
                           std::uint32_t payload) {
  if (!(amount >= 0)) throw std::invalid_argument("a flow's amount must not be negative");
  // An infinite amount ends beyond any clock, as does the largest finite amount.
  amount = std::min(amount, std::numeric_limits<double>::max());
  enter(now_ps);
  if (grouping_.pending()) regroup();
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  const std::uint64_t order = ++started_;
  flows_[slot] = {order, route, payload};
  Route& used = routes_[index(route)];
  if (used.active == 0) {
    used.flow_class = used.solo;
    used.first_slot = slot;
  } else if (used.flow_class != used.crowd) {
    join_crowd(used);
  }
  ++used.active;
  at(used.flow_class).queue.push(amount, order, slot, now_ps);
  touch(used.flow_class);
  return {order, slot};
}

bool FluidNetwork::cancel(FlowId flow, std::int64_t now_ps) {
  const Flow* found = find(flow);
  if (found == nullptr) return false;
  enter(now_ps);
  const FlowClassId id = routes_[index(found->route)].flow_class;
  Class& flow_class = at(id);
  const auto alive_now = [this](const FlowQueue::Entry& entry) { return alive(entry); };
  release(flow.slot);
  if (flow_class.queue.head().order == flow.order) {
    flow_class.queue.pop_head(alive_now);
    invalidate(flow_class);  // at once, because the wakeup may be due at this very instant
  } else {
    flow_class.queue.abandon(alive_now);
  }
  touch(id);
  return true;
}

bool FluidNetwork::stale(const Wakeup& wakeup) const {
  return at(wakeup.flow_class).generation != wakeup.generation;
}

std::span<const std::uint32_t> FluidNetwork::complete(const Wakeup& wakeup) {
  completed_.clear();
  if (stale(wakeup)) return {};
  enter(wakeup.time_ps);
  Class& flow_class = at(wakeup.flow_class);
  FlowQueue& queue = flow_class.queue;
  invalidate(flow_class);
  const auto alive_now = [this](const FlowQueue::Entry& entry) { return alive(entry); };
  ending_.clear();
  do {
    queue.advance(now_ps_);
    ending_.push_back({queue.head().order, queue.head().slot});
    release(queue.head().slot);
    queue.pop_head(alive_now);
  } while (queue.head_reached());
  queue.rebase_sometimes();
  touch(wakeup.flow_class);
  if (ending_.size() > 1) {
    std::sort(ending_.begin(), ending_.end(), [](FlowId a, FlowId b) { return a.order < b.order; });
  }
  for (const FlowId flow : ending_) completed_.push_back(flows_[flow.slot].payload);
  return completed_;
}

std::int64_t FluidNetwork::next_completion() const {
  std::int64_t earliest = kNever;
  for (const Class& flow_class : classes_) {
    if (!flow_class.queue.empty()) earliest = std::min(earliest, flow_class.due_ps);
  }
  return earliest;
}

double FluidNetwork::rate(FlowId flow) const {
  const Flow* found = find(flow);
  return found == nullptr ? 0.0 : at(routes_[index(found->route)].flow_class).queue.rate();
}

double FluidNetwork::remaining(FlowId flow, std::int64_t now_ps) const {
  const Flow* found = find(flow);
  if (found == nullptr) return 0.0;
  return at(routes_[index(found->route)].flow_class).queue.remaining(flow.order, now_ps);
}

double FluidNetwork::load(ResourceId resource) const {
  double load = 0;
  for (const RouteId id : grouping_.routes_over(resource)) {
    const Route& route = routes_[index(id)];
    if (route.active == 0) continue;
    load += grouping_.coefficient(id, resource) * route.active * at(route.flow_class).queue.rate();
  }
  return load;
}

const FluidNetwork::Flow* FluidNetwork::find(FlowId flow) const {
  if (flow.order == 0 || flow.slot >= flows_.size()) return nullptr;
  const Flow& found = flows_[flow.slot];
  return found.order == flow.order ? &found : nullptr;
}

void FluidNetwork::enter(std::int64_t now_ps) {
  if (now_ps == now_ps_) return;
  if (now_ps < now_ps_) throw std::logic_error("the network's clock went back");
  if (unsettled()) throw std::logic_error("the network's clock left an unsettled instant");
  now_ps_ = now_ps;
}

void FluidNetwork::touch(FlowClassId id) {
  Class& flow_class = at(id);
  if (flow_class.dirty) return;
  flow_class.dirty = true;
  dirty_.push_back(id);
}

void FluidNetwork::invalidate(Class& flow_class) {
  ++flow_class.generation;
  flow_class.due_ps = kNever;
}

void FluidNetwork::release(std::uint32_t slot) {
  --routes_[index(flows_[slot].route)].active;
  flows_[slot].order = 0;
  free_slots_.push_back(slot);
}

// Moves the route's only flow to the class for several flows.
void FluidNetwork::join_crowd(Route& route) {
  const std::uint64_t order = flows_[route.first_slot].order;
  Class& solo = at(route.solo);
  if (solo.queue.head().order == order) invalidate(solo);
  const auto alive_now = [this](const FlowQueue::Entry& entry) { return alive(entry); };
  const double left = solo.queue.extract(order, now_ps_, alive_now);
  touch(route.solo);
  route.flow_class = route.crowd;
  at(route.crowd).queue.push(left, order, route.first_slot, now_ps_);
  touch(route.crowd);
}

// Routes have been added, and some older routes may have changed class. Their flows move with the
// amounts they have left. A class that loses the flows of one route is emptied and refilled: this
// is simple, and rare enough.
void FluidNetwork::regroup() {
  const std::span<const RouteId> moved = grouping_.regroup();
  while (classes_.size() < grouping_.classes())
    add_class(static_cast<FlowClassId>(classes_.size()));
  std::vector<FlowQueue::Entry> moving;
  const auto alive_now = [this](const FlowQueue::Entry& entry) { return alive(entry); };
  for (const RouteId id : moved) {
    const Route& route = routes_[index(id)];
    if (route.active == 0) continue;
    Class& old = at(route.flow_class);
    if (old.queue.empty()) continue;  // already emptied because of another route
    const double clock = old.queue.clock(now_ps_);
    old.queue.drain(alive_now, [&](FlowQueue::Entry entry) {
      entry.target = std::max(0.0, entry.target - clock);
      moving.push_back(entry);
    });
    invalidate(old);
    touch(route.flow_class);
  }
  for (const RouteId id : moved) {
    Route& route = routes_[index(id)];
    route.solo = grouping_.solo_class_of(id);
    route.crowd = grouping_.class_of(id);
    route.flow_class = route.active == 1 ? route.solo : route.crowd;
  }
  requeue(moving);
}

void FluidNetwork::add_class(FlowClassId id) {
  Class flow_class;
  flow_class.limit = grouping_.limit_of(id);
  flow_class.first_use = static_cast<std::uint32_t>(uses_.size());
  for (const Use& use : grouping_.uses_of(id)) {
    uses_.push_back({.resource = use.resource, .coefficient = use.coefficient});
    flow_class.whole =
        std::min(flow_class.whole, grouping_.capacity(use.resource) / use.coefficient);
    flow_class.crowds = flow_class.crowds || !resources_[index(use.resource)].shares.empty();
  }
  flow_class.uses = static_cast<std::uint32_t>(uses_.size()) - flow_class.first_use;
  classes_.push_back(std::move(flow_class));
}

void FluidNetwork::requeue(std::vector<FlowQueue::Entry>& moving) {
  std::sort(moving.begin(), moving.end(),
            [](const auto& a, const auto& b) { return a.order < b.order; });
  for (const FlowQueue::Entry& entry : moving) {
    Route& route = routes_[index(flows_[entry.slot].route)];
    if (route.active == 1) route.first_slot = entry.slot;
    at(route.flow_class).queue.push(entry.target, entry.order, entry.slot, now_ps_);
    touch(route.flow_class);
  }
}

}  // namespace paceline
