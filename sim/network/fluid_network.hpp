// SPDX-License-Identifier: MIT
/// \file
/// Flows that share resources max-min fairly, on an integer clock in picoseconds: it computes when
/// each flow ends. It knows nothing of machines and has no event heap: an engine starts flows,
/// calls `settle` after all events of an instant, keeps the wakeups that this returns in its own
/// heap, and passes each to `complete` at its time.
///
/// Flows on routes that are bound by the same resources always have equal rates, so they form a
/// class, with one wakeup for all its flows. A start or an end costs O(log flows of the class),
/// plus a max-min solution of the active classes connected to it by shared resources; a class that
/// shares nothing at that moment needs none.
///
///     for (;;) {
///       if (network.unsettled() && (heap.empty() || heap.top().time_ps > now))
///         for (const Wakeup& wakeup : network.settle(now)) heap.push(wakeup);
///       if (heap.empty()) break;
///       const Wakeup wakeup = heap.pop();  // earliest; ties by insertion
///       if (network.stale(wakeup)) continue;
///       now = wakeup.time_ps;
///       for (std::uint32_t payload : network.complete(wakeup)) finished(payload);
///     }
///
/// where `finished` may start more flows.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/network/flow_queue.hpp"
#include "sim/network/max_min.hpp"
#include "sim/network/resource_use.hpp"
#include "sim/network/route_classes.hpp"

namespace paceline {

/// A flow in the network. Ids are never reused, so an outdated one is recognised. `order` counts
/// starts from 1.
struct FlowId {
  std::uint64_t order = 0;
  std::uint32_t slot = 0;
  friend bool operator==(const FlowId&, const FlowId&) = default;
};

/// Announces that a flow of `flow_class` ends at `time_ps`; valid until the class's generation
/// changes.
struct Wakeup {
  std::int64_t time_ps = 0;
  FlowClassId flow_class{};
  std::uint32_t generation = 0;
};

class FluidNetwork final {
 public:
  static constexpr std::int64_t kNever = paceline::kNever;
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  /// Adds a resource of `capacity` units (bytes, core-seconds) per second, finite and > 0.
  ResourceId add_resource(double capacity) { return add_resource(capacity, {}); }
  /// Adds a resource that gives less the more flows share it: with n flows, its capacity times the
  /// n-th of `shares` (each > 0), or times the last one if there are fewer.
  ResourceId add_resource(double capacity, std::vector<double> shares);

  /// Adds a route; the coefficients of a resource named twice are added. The rate of each flow is
  /// at most `rate_limit` (> 0, units/s). A flow on a route without resources and limit takes no
  /// time. It is cheapest to add all routes before the first flow; a route added later is handled
  /// correctly, but may regroup the flows in flight.
  RouteId add_route(std::span<const Use> uses, double rate_limit = kUnlimited);

  /// Starts a flow of `amount` units (>= 0; 0 ends at once, infinity never) at `now_ps`. Times must
  /// not decrease, and must not leave an unsettled instant. `complete` returns `payload`.
  FlowId start(RouteId route, double amount, std::int64_t now_ps, std::uint32_t payload);

  /// Removes a flow; false if it had ended already.
  bool cancel(FlowId flow, std::int64_t now_ps);

  /// Whether flows started or ended since `settle`, so that rates and wakeups are outdated. The
  /// clock must not advance while this is true.
  bool unsettled() const { return !dirty_.empty(); }

  /// Computes the rates anew. Returns the wakeups that are new or have changed, in the start order
  /// of the flows that end; each replaces the earlier one of its class. Valid until the next call
  /// of `settle`.
  std::span<const Wakeup> settle(std::int64_t now_ps);

  /// Whether the wakeup has been replaced or its flows are gone.
  bool stale(const Wakeup& wakeup) const;

  /// Ends the flows of the wakeup, at its time, and returns their payloads in start order; empty if
  /// it is stale. Valid until the next call of `complete`, so flows may be started while reading
  /// it.
  std::span<const std::uint32_t> complete(const Wakeup& wakeup);

  /// The earliest end of any flow, found by searching all classes (for tests and deadlock reports).
  /// Requires a settled network.
  std::int64_t next_completion() const;

  /// Units per second of one flow as of the last `settle`; 0 if it has ended.
  double rate(FlowId flow) const;
  /// Units that a flow has left at `now_ps`; 0 if it has ended.
  double remaining(FlowId flow, std::int64_t now_ps) const;
  /// Units per second that all flows together take of a resource, as of the last `settle`; O(routes
  /// over it).
  double load(ResourceId resource) const;
  double capacity(ResourceId resource) const { return grouping_.capacity(resource); }
  /// Units per second of a flow that has the route to itself.
  double rate_alone(RouteId route) const { return grouping_.rate_alone(route); }
  std::span<const Use> uses(RouteId route) const { return grouping_.uses_of(route); }
  /// Whether it gives less the more flows share it.
  bool crowds(ResourceId resource) const { return !resources_[index(resource)].shares.empty(); }

 private:
  struct Flow {
    std::uint64_t order = 0;  // 0: the slot is free
    RouteId route{};
    std::uint32_t payload = 0;
  };
  struct Route {
    FlowClassId flow_class{};      // of all its flows in flight
    FlowClassId solo{};            // of the only flow in flight
    FlowClassId crowd{};           // of all flows, from two in flight until none is left
    std::uint32_t active = 0;      // flows in flight
    std::uint32_t first_slot = 0;  // of the flow in the solo class
  };
  struct Class {
    FlowQueue queue;
    std::int64_t due_ps = kNever;  // time of the last wakeup; kNever once it is used
    std::uint32_t generation = 0;  // of the valid wakeup
    std::uint32_t first_use = 0;   // in uses_
    std::uint32_t uses = 0;
    std::uint64_t component = 0;  // the last component that contained this class
    double limit = kUnlimited;
    double whole = kUnlimited;  // rate of a flow that has all its resources to itself
    bool dirty = false;         // flows have started or ended since settle
    bool listed = false;        // on its resources' lists of active classes
    bool crowds = false;        // some resource gives less the more flows share it
  };
  struct ClassUse {
    ResourceId resource{};
    std::uint32_t position = 0;  // in the resource's list, while the class is listed
    double coefficient = 1.0;
  };
  struct ActiveClass {
    FlowClassId flow_class{};
    std::uint32_t use = 0;  // in uses_
  };
  struct Resource {
    std::vector<ActiveClass> active;
    std::uint64_t component = 0;
    std::uint32_t row = 0;       // its index in the system being solved
    std::vector<double> shares;  // of its capacity, by number of flows; empty: always all of it
  };

  Class& at(FlowClassId id) { return classes_[index(id)]; }
  const Class& at(FlowClassId id) const { return classes_[index(id)]; }
  bool alive(const FlowQueue::Entry& entry) const {
    return flows_[entry.slot].order == entry.order;
  }
  const Flow* find(FlowId flow) const;

  void enter(std::int64_t now_ps);
  void touch(FlowClassId id);
  void invalidate(Class& flow_class);
  void release(std::uint32_t slot);

  void join_crowd(Route& route);
  void regroup();
  void add_class(FlowClassId id);
  void requeue(std::vector<FlowQueue::Entry>& moving);

  void list_or_unlist(FlowClassId id);
  bool alone(const Class& flow_class) const;
  double rate_alone(const Class& flow_class) const;
  double capacity_among(ResourceId resource, std::size_t flows) const;
  double capacity_now(ResourceId resource) const;
  void settle_class(FlowClassId id, std::uint64_t settled_before);
  void begin_component();
  void grow_component();
  void reach(const Class& flow_class);
  void reach(ResourceId resource);
  void solve_component();
  void set_rate(FlowClassId id, double rate);

  RouteClasses grouping_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Route> routes_;
  std::vector<Class> classes_;
  std::vector<ClassUse> uses_;  // by class
  std::vector<Resource> resources_;

  std::int64_t now_ps_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t component_ = 0;  // number of components collected so far
  std::vector<FlowClassId> dirty_;
  std::vector<Wakeup> wakeups_;
  std::vector<FlowId> ending_;
  std::vector<std::uint32_t> completed_;

  // The component being solved.
  std::vector<FlowClassId> component_classes_;
  std::vector<ResourceId> component_resources_;
  std::vector<MaxMin::Share> shares_;
  MaxMin system_;
};

}  // namespace paceline
