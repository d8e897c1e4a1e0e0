// SPDX-License-Identifier: MIT
// How an instant is settled. The classes in which flows have started or ended are *dirty*. The
// component of a dirty class consists of the active classes and the resources that can be reached
// from it through shared resources; rates outside it cannot change. A component of one class needs
// no system: its flows share its narrowest resource equally. A class that keeps its rate keeps its
// wakeup, and its service clock is not set anew.
#include <algorithm>
#include <cmath>

#include "sim/network/fluid_network.hpp"

namespace paceline {

std::span<const Wakeup> FluidNetwork::settle(std::int64_t now_ps) {
  enter(now_ps);
  wakeups_.clear();
  for (const FlowClassId id : dirty_) list_or_unlist(id);
  const std::uint64_t settled_before = component_;
  for (const FlowClassId id : dirty_) settle_class(id, settled_before);
  for (const FlowClassId id : dirty_) at(id).dirty = false;
  dirty_.clear();
  const auto ends_first = [this](const Wakeup& a, const Wakeup& b) {
    return at(a.flow_class).queue.head().order < at(b.flow_class).queue.head().order;
  };
  if (!std::is_sorted(wakeups_.begin(), wakeups_.end(), ends_first)) {
    std::sort(wakeups_.begin(), wakeups_.end(), ends_first);
  }
  return wakeups_;
}

// Updates the resources' lists of active classes. A class that ended one flow and started another
// at the same instant stays on them.
void FluidNetwork::list_or_unlist(FlowClassId id) {
  Class& flow_class = at(id);
  const bool active = !flow_class.queue.empty();
  if (flow_class.listed == active) return;
  flow_class.listed = active;
  for (std::uint32_t u = flow_class.first_use; u < flow_class.first_use + flow_class.uses; ++u) {
    std::vector<ActiveClass>& list = resources_[index(uses_[u].resource)].active;
    if (active) {
      uses_[u].position = static_cast<std::uint32_t>(list.size());
      list.push_back({id, u});
    } else {
      uses_[list.back().use].position = uses_[u].position;
      list[uses_[u].position] = list.back();
      list.pop_back();
    }
  }
}

// Whether no other class is active on the resources of this one.
bool FluidNetwork::alone(const Class& flow_class) const {
  const std::size_t own = flow_class.listed ? 1 : 0;
  for (std::uint32_t u = flow_class.first_use; u < flow_class.first_use + flow_class.uses; ++u) {
    if (resources_[index(uses_[u].resource)].active.size() > own) return false;
  }
  return true;
}

double FluidNetwork::rate_alone(const Class& flow_class) const {
  const std::size_t flows = flow_class.queue.size();
  double whole = flow_class.whole;
  if (flow_class.crowds) {
    for (std::uint32_t u = flow_class.first_use; u < flow_class.first_use + flow_class.uses; ++u) {
      whole = std::min(whole, capacity_among(uses_[u].resource, flows) / uses_[u].coefficient);
    }
  }
  return std::min(flow_class.limit, whole / static_cast<double>(flows));
}

double FluidNetwork::capacity_among(ResourceId id, std::size_t flows) const {
  const std::vector<double>& shares = resources_[index(id)].shares;
  const double capacity = grouping_.capacity(id);
  if (shares.empty() || flows == 0) return capacity;
  return capacity * shares[std::min(flows, shares.size()) - 1];
}

double FluidNetwork::capacity_now(ResourceId id) const {
  const Resource& resource = resources_[index(id)];
  if (resource.shares.empty()) return grouping_.capacity(id);
  std::size_t flows = 0;
  for (const ActiveClass& active : resource.active) flows += at(active.flow_class).queue.size();
  return capacity_among(id, flows);
}

// Skips components with numbers above `settled_before`: they are already solved at this instant.
void FluidNetwork::settle_class(FlowClassId id, std::uint64_t settled_before) {
  Class& flow_class = at(id);
  if (flow_class.listed) {
    if (flow_class.component > settled_before) return;
    if (alone(flow_class)) {
      set_rate(id, rate_alone(flow_class));
      return;
    }
    begin_component();
    flow_class.component = component_;
    component_classes_.push_back(id);
    reach(flow_class);
    grow_component();
    solve_component();
    return;
  }
  // The class has become idle. The classes it shared with may no longer be connected, so each
  // resource starts a component of its own.
  for (std::uint32_t u = flow_class.first_use; u < flow_class.first_use + flow_class.uses; ++u) {
    const Resource& resource = resources_[index(uses_[u].resource)];
    if (resource.active.empty() || resource.component > settled_before) continue;
    begin_component();
    reach(uses_[u].resource);
    grow_component();
    solve_component();
  }
}

void FluidNetwork::begin_component() {
  ++component_;
  component_classes_.clear();
  component_resources_.clear();
}

// Adds the active classes that can be reached from the component's resources.
void FluidNetwork::grow_component() {
  for (std::size_t r = 0; r < component_resources_.size(); ++r) {  // grows as it goes
    for (const ActiveClass& active : resources_[index(component_resources_[r])].active) {
      Class& neighbour = at(active.flow_class);
      if (neighbour.component == component_) continue;
      neighbour.component = component_;
      component_classes_.push_back(active.flow_class);
      reach(neighbour);
    }
  }
}

void FluidNetwork::reach(const Class& flow_class) {
  for (std::uint32_t u = flow_class.first_use; u < flow_class.first_use + flow_class.uses; ++u) {
    reach(uses_[u].resource);
  }
}

void FluidNetwork::reach(ResourceId id) {
  Resource& resource = resources_[index(id)];
  if (resource.component == component_) return;
  resource.component = component_;
  component_resources_.push_back(id);
}

void FluidNetwork::solve_component() {
  if (component_classes_.size() == 1) {
    set_rate(component_classes_.front(), rate_alone(at(component_classes_.front())));
    return;
  }
  system_.clear();
  for (const ResourceId id : component_resources_) {
    resources_[index(id)].row = system_.add_resource(capacity_now(id));
  }
  for (const FlowClassId id : component_classes_) {
    const Class& flow_class = at(id);
    shares_.clear();
    for (std::uint32_t u = flow_class.first_use; u < flow_class.first_use + flow_class.uses; ++u) {
      shares_.push_back({resources_[index(uses_[u].resource)].row, uses_[u].coefficient});
    }
    system_.add_variable(static_cast<double>(flow_class.queue.size()), flow_class.limit, shares_);
  }
  system_.solve();
  for (std::uint32_t v = 0; v < component_classes_.size(); ++v)
    set_rate(component_classes_[v], system_.rate(v));
}

void FluidNetwork::set_rate(FlowClassId id, double rate) {
  // Different orders of solving change the last bits of a rate; such a change does not count.
  constexpr double kSame = 1e-12;
  Class& flow_class = at(id);
  FlowQueue& queue = flow_class.queue;
  if (!(std::abs(rate - queue.rate()) <= kSame * queue.rate())) {
    queue.set_rate(rate, now_ps_);
  } else if (!flow_class.dirty) {
    return;
  }
  const std::int64_t due = queue.due(now_ps_);
  if (due == flow_class.due_ps) return;
  flow_class.due_ps = due;
  ++flow_class.generation;
  if (due != kNever) wakeups_.push_back({due, id, flow_class.generation});
}

}  // namespace paceline
