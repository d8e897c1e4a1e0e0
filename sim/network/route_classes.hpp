// SPDX-License-Identifier: MIT
/// \file
/// Groups routes into classes of equal flow rates. Many resources of a route never limit its flows,
/// because another resource on it always fills up first. Without those, routes that look different
/// often turn out to be limited by the same resources, and their flows always have equal rates.
/// 1024 workers, each with its own link into one slower server link, form one class; a ring of them
/// over one switch has 1024 classes with a single resource each.
///
/// Resource l is **dominated** by m when every route that uses l also uses m and a_l / C_l <= a_m /
/// C_m on each. Then
///
///     sum a_l x  <=  (C_l / C_m) * sum over the routes of l of a_m x  <=  C_l
///
/// whatever the rates are, as long as m is not overloaded. Of two resources that dominate each
/// other the one with the lower id is kept. A rate limit that no flow could exceed even when alone
/// is dropped.
///
/// A resource that only one route uses is just a rate limit while that route carries a single flow.
/// So a route has a second, **solo** class for this case: a thousand workers with links slower than
/// the server's are in one class as long as each has a single flow.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/network/resource_use.hpp"

namespace paceline {

class RouteClasses final {
 public:
  /// Adds a resource. `shrinks`: it may give less than its capacity at times, so nothing can
  /// dominate it. Throws std::invalid_argument unless the capacity is finite and > 0.
  ResourceId add_resource(double capacity, bool shrinks = false);

  /// Adds a route; the uses of the same resource are added. Throws std::invalid_argument on an
  /// unknown resource, or on a coefficient or limit that is not > 0.
  RouteId add_route(std::span<const Use> uses, double rate_limit);

  /// Whether routes have been added since `regroup`. They have no class yet, and other routes may
  /// have to change class.
  bool pending() const { return !unclassed_.empty(); }

  /// Gives every route its class. Returns the routes with a new or changed class, in order of id.
  /// The cost is proportional to the added routes and those that change. Classes without routes are
  /// kept, and used again for equal routes.
  std::span<const RouteId> regroup();

  std::size_t classes() const { return classes_.size(); }
  /// The class of the route's flows when it has several.
  FlowClassId class_of(RouteId route) const { return routes_[index(route)].flow_class; }
  /// The class of the route's only flow; often `class_of` itself.
  FlowClassId solo_class_of(RouteId route) const { return routes_[index(route)].solo_class; }
  /// The resources that can limit the class, by id.
  std::span<const Use> uses_of(FlowClassId id) const {
    const Class& one = classes_[index(id)];
    return {class_uses_.data() + one.first_use, one.uses};
  }
  /// All resources of the route, by id.
  std::span<const Use> uses_of(RouteId id) const {
    const Route& route = routes_[index(id)];
    return {route_uses_.data() + route.first_use, route.uses};
  }
  /// The rate of a flow on the route without others.
  double rate_alone(RouteId route) const;
  double limit_of(FlowClassId id) const { return classes_[index(id)].limit; }

  double capacity(ResourceId resource) const { return resources_[index(resource)].capacity; }
  bool dominated(ResourceId resource) const {
    return resources_[index(resource)].dominator != kNoResource;
  }
  std::span<const RouteId> routes_over(ResourceId resource) const {
    return resources_[index(resource)].routes;
  }
  /// The part of the resource that the route takes per unit; 0 if the route does not use it.
  double coefficient(RouteId route, ResourceId resource) const;

 private:
  static constexpr ResourceId kNoResource{std::numeric_limits<std::uint32_t>::max()};
  static constexpr FlowClassId kNoClass{std::numeric_limits<std::uint32_t>::max()};

  /// How far it is known whether one resource dominates another. Routes are only added, so that no
  /// route need be looked at twice.
  struct Scan {
    std::uint32_t routes = 0;  // of the weaker one, that were looked at
    bool fails = false;        // on one of these the other is the stronger
    bool equal = true;         // both fill up alike on all of these
  };
  struct Resource {
    double capacity = 0;
    std::vector<RouteId> routes;
    std::vector<Scan> scans;  // of those on its first route, each as its dominator
    ResourceId dominator = kNoResource;
    bool touched = false;
    bool own = false;  // used by a single route
    bool shrinks = false;
  };
  struct Key {
    std::vector<Use> uses;
    double limit = 0;
  };
  // There may be millions of classes and routes: their uses are in one list each.
  struct Class {
    std::uint32_t first_use = 0, uses = 0;  // in class_uses_
    double limit = 0;
  };
  struct Route {
    std::uint32_t first_use = 0, uses = 0;  // in route_uses_: by resource, each once
    double limit = 0;
    FlowClassId flow_class = kNoClass;
    FlowClassId solo_class = kNoClass;
  };

  void touch(ResourceId resource);
  bool dominates(ResourceId strong, ResourceId weak, Scan& scan) const;
  ResourceId find_dominator(ResourceId weak);
  Key reduced(RouteId id) const;
  Key solo(const Key& reduced) const;
  FlowClassId class_for(const Key& key);
  std::uint32_t& place_of(const Key& key);
  void make_room();

  std::vector<Resource> resources_;
  std::vector<Route> routes_;
  std::vector<Use> route_uses_, class_uses_;
  std::vector<Class> classes_;
  std::vector<std::uint32_t> by_key_;  // open addressing: the number of a class, from 1; 0: none
  std::vector<ResourceId> touched_;    // resources with new routes since regroup
  std::vector<RouteId> unclassed_;
  std::vector<RouteId> moved_;
};

}  // namespace paceline
