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
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/network/resource_use.hpp"

namespace paceline {

class RouteClasses final {
 public:
  RouteClasses() = default;
  RouteClasses(const RouteClasses&) = delete;  // classes_ points into by_key_
  RouteClasses& operator=(const RouteClasses&) = delete;
  RouteClasses(RouteClasses&&) = default;
  RouteClasses& operator=(RouteClasses&&) = default;
  ~RouteClasses() = default;

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
  /// The cost is proportional to the routes over the resources of the added routes, so it is
  /// cheapest to add routes in bulk. Classes without routes are kept, and used again for equal
  /// routes.
  std::span<const RouteId> regroup();

  std::size_t classes() const { return classes_.size(); }
  /// The class of the route's flows when it has several.
  FlowClassId class_of(RouteId route) const { return routes_[index(route)].flow_class; }
  /// The class of the route's only flow; often `class_of` itself.
  FlowClassId solo_class_of(RouteId route) const { return routes_[index(route)].solo_class; }
  /// The resources that can limit the class, by id.
  std::span<const Use> uses_of(FlowClassId id) const { return classes_[index(id)]->first.uses; }
  /// All resources of the route, by id.
  std::span<const Use> uses_of(RouteId route) const { return routes_[index(route)].uses; }
  /// The rate of a flow on the route without others.
  double rate_alone(RouteId route) const;
  double limit_of(FlowClassId id) const { return classes_[index(id)]->first.limit; }

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

  struct Resource {
    double capacity = 0;
    std::vector<RouteId> routes;
    ResourceId dominator = kNoResource;
    bool touched = false;
    bool own = false;  // used by a single route
    bool shrinks = false;
  };
  struct Key {
    std::vector<Use> uses;
    double limit = 0;
    friend bool operator<(const Key& a, const Key& b) {
      return a.limit != b.limit ? a.limit < b.limit : a.uses < b.uses;
    }
  };
  struct Route {
    std::vector<Use> uses;  // by resource, each once
    double limit = 0;
    FlowClassId flow_class = kNoClass;
    FlowClassId solo_class = kNoClass;
  };
  using ClassMap = std::map<Key, FlowClassId>;

  void touch(ResourceId resource);
  bool dominates(ResourceId strong, ResourceId weak) const;
  ResourceId find_dominator(ResourceId weak) const;
  Key reduced(const Route& route) const;
  Key solo(const Key& reduced) const;
  FlowClassId class_for(const Key& key);

  std::vector<Resource> resources_;
  std::vector<Route> routes_;
  ClassMap by_key_;
  std::vector<ClassMap::const_iterator> classes_;
  std::vector<ResourceId> touched_;  // resources with new routes since regroup
  std::vector<RouteId> unclassed_;
  std::vector<RouteId> moved_;
};

}  // namespace paceline
