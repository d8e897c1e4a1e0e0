// SPDX-License-Identifier: MIT
/// \file
/// Flows that share resources max-min fairly, on an integer clock in picoseconds: who finishes
/// when. It knows nothing of machines, and has no event heap of its own: an engine starts flows,
/// calls `settle` once it is done with an instant, keeps the wakeups this returns in its heap, and
/// hands each back to `complete` at its time.
///
/// Flows on routes that are bound by the same resources always have equal rates, so they form a
/// class, which has one wakeup however many flows it holds. A start or an end costs O(log flows of
/// the class), plus a max-min solution of the active classes connected with it by shared resources;
/// a class that shares nothing at that moment needs none.
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
#include "sim/network/route_classes.hpp"
#include "sim/network/use.hpp"

namespace paceline {

/// A flow in the network; never reused, so an old one is recognised. `order` counts starts from 1.
struct FlowId {
  std::uint64_t order = 0;
  std::uint32_t slot = 0;
  friend bool operator==(const FlowId&, const FlowId&) = default;
};

/// "Class `flow_class` completes something at `time_ps`", until its generation moves on.
struct Wakeup {
  std::int64_t time_ps = 0;
  FlowClassId flow_class{};
  std::uint32_t generation = 0;
};

class FluidNetwork final {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  /// A resource of so many units (bytes, core-seconds) per second, finite and > 0.
  ResourceId add_resource(double capacity) { return add_resource(capacity, {}); }
  /// A resource that gives less the more flows share it: with n of them, its capacity times the
  /// n-th of `shares` (each > 0), or the last where there are more.
  ResourceId add_resource(double capacity, std::vector<double> shares);

  /// A route; a resource named twice has its coefficients added. Each of its flows goes at most at
  /// `rate_limit` (> 0, units/s). A route that uses nothing and has no limit takes no time. Adding
  /// all routes before the first flow is cheapest; adding one later is right too, and may regroup
  /// the flows under way.
  RouteId add_route(std::span<const Use> uses, double rate_limit = kUnlimited);

  /// Starts a flow of `amount` units (>= 0; 0 ends at once, infinity never) at `now_ps`, which
  /// never goes back or leaves an unsettled instant. `payload` comes back from `complete`.
  FlowId start(RouteId route, double amount, std::int64_t now_ps, std::uint32_t payload);

  /// Takes a flow out; false when it was no longer there.
  bool cancel(FlowId flow, std::int64_t now_ps);

  /// Something started or ended since `settle`: rates and wakeups are out of date. The clock must
  /// not move on.
  bool unsettled() const { return !dirty_.empty(); }

  /// Shares the resources anew. Returns the wakeups that are new or have changed, in start order of
  /// the flows that end; they replace earlier ones of the same class. Valid until the next call of
  /// `settle`.
  std::span<const Wakeup> settle(std::int64_t now_ps);

  /// The wakeup has been replaced, or its flows have gone.
  bool stale(const Wakeup& wakeup) const;

  /// Ends the flows that the wakeup is about, at its time, and returns their payloads in start
  /// order; nothing when it is stale. Valid until the next call of `complete`, so flows may be
  /// started while reading it.
  std::span<const std::uint32_t> complete(const Wakeup& wakeup);

  /// Earliest completion of all, by asking every class (tests, deadlock reports); settled networks
  /// only.
  std::int64_t next_completion() const;

  /// Units per second of one flow, 0 when it is not there; as of the last `settle`.
  double rate(FlowId flow) const;
  /// Units that a flow has still to go at `now_ps`, 0 when it is not there.
  double remaining(FlowId flow, std::int64_t now_ps) const;
  /// Units per second that all flows together take of a resource, as of the last `settle`; O(routes
  /// over it).
  double load(ResourceId resource) const;
  double capacity(ResourceId resource) const { return grouping_.capacity(resource); }

 private:
  struct Flow {
    std::uint64_t order = 0;  // 0: the slot is free
    RouteId route{};
    std::uint32_t payload = 0;
  };
  struct Route {
    FlowClassId flow_class{};      // that all its flows under way are in
    FlowClassId solo{};            // where the first goes
    FlowClassId crowd{};           // where all go from when there are two until there is none
    std::uint32_t active = 0;      // flows under way
    std::uint32_t first_slot = 0;  // of the flow that is in solo
  };
  struct Class {
    FlowQueue queue;
    std::int64_t due_ps = kNever;  // what the last wakeup said; kNever when it is used up
    std::uint32_t generation = 0;  // of the wakeup that counts
    std::uint32_t first_use = 0;   // in uses_
    std::uint32_t uses = 0;
    std::uint64_t component = 0;  // the last component this class was found in
    double limit = kUnlimited;
    double whole = kUnlimited;  // rate of a flow that has all its resources to itself
    bool dirty = false;         // flows have come or gone since settle
    bool listed = false;        // on its resources' lists of active classes
    bool crowds = false;        // some resource gives less the more flows share it
  };
  struct ClassUse {
    ResourceId resource{};
    std::uint32_t position = 0;  // on the resource's list, while the class is listed
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
    std::vector<double> shares;  // of its capacity, by number of flows; empty: all, always
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
  void replant(std::vector<FlowQueue::Entry>& uprooted);

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
  std::uint64_t component_ = 0;  // counts components collected
  std::vector<FlowClassId> dirty_;
  std::vector<Wakeup> wakeups_;
  std::vector<FlowId> ending_;
  std::vector<std::uint32_t> completed_;

  // The component in hand.
  std::vector<FlowClassId> component_classes_;
  std::vector<ResourceId> component_resources_;
  std::vector<MaxMin::Share> shares_;
  MaxMin system_;
};

}  // namespace paceline
