// SPDX-License-Identifier: MIT
/// \file
/// Which routes are alike. Many resources of a route can never be what slows its flows down,
/// because another resource on it always fills up first; without those, routes that look different
/// often turn out to be bound by the same resources, and their flows always have equal rates. 1024
/// workers, each with a link of its own into one slower server link, are one class; a ring of them
/// over one switch is 1024 classes with a single resource each.
///
/// Resource l is **dominated** by m when every route that uses l also uses m and a_l / C_l <= a_m /
/// C_m on each. Then
///
///     sum a_l x  <=  (C_l / C_m) * sum over the routes of l of a_m x  <=  C_l
///
/// whatever the rates are, as long as m is not overloaded. Of two that dominate each other the
/// lower id stays. A rate limit that no flow could exceed even when alone counts as none.
///
/// A resource that only one route uses is no more than a rate limit while that route carries a
/// single flow. So a route has a second, **solo** class for that time, in which a thousand workers
/// whose own links are slower than the server's are alike as well.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/network/use.hpp"

namespace paceline {

class RouteClasses final {
 public:
  RouteClasses() = default;
  RouteClasses(const RouteClasses&) = delete;  // classes_ points into by_key_
  RouteClasses& operator=(const RouteClasses&) = delete;
  RouteClasses(RouteClasses&&) = default;
  RouteClasses& operator=(RouteClasses&&) = default;
  ~RouteClasses() = default;

  /// `shrinks`: it may give less than its capacity at times, so nothing dominates it. Throws
  /// std::invalid_argument unless the capacity is finite and > 0.
  ResourceId add_resource(double capacity, bool shrinks = false);

  /// Throws std::invalid_argument on an unknown resource, a coefficient or a limit that is not > 0.
  /// Uses of the same resource are added up.
  RouteId add_route(std::span<const Use> uses, double rate_limit);

  /// Routes have been added since `regroup`: they have no class yet, and others may have to change
  /// theirs.
  bool pending() const { return !unclassed_.empty(); }

  /// Gives every route its class. Returns the routes of which a class is new or another than
  /// before, in order of id. Costs what the resources of the routes added since cost to look at, so
  /// adding routes in bulk is cheapest. Classes that no route belongs to any more remain, and are
  /// taken up again when their like comes back.
  std::span<const RouteId> regroup();

  std::size_t classes() const { return classes_.size(); }
  /// The class of the route's flows, however many.
  FlowClassId class_of(RouteId route) const { return routes_[index(route)].flow_class; }
  /// The class of the route's only flow; often `class_of` itself.
  FlowClassId solo_class_of(RouteId route) const { return routes_[index(route)].solo_class; }
  /// The resources that can bind the class, by id.
  std::span<const Use> uses_of(FlowClassId id) const { return classes_[index(id)]->first.uses; }
  double limit_of(FlowClassId id) const { return classes_[index(id)]->first.limit; }

  double capacity(ResourceId resource) const { return resources_[index(resource)].capacity; }
  bool dominated(ResourceId resource) const {
    return resources_[index(resource)].dominator != kNobody;
  }
  std::span<const RouteId> routes_over(ResourceId resource) const {
    return resources_[index(resource)].routes;
  }
  /// How much of the resource the route takes per unit, 0 when it does not use it.
  double coefficient(RouteId route, ResourceId resource) const;

 private:
  static constexpr ResourceId kNobody{std::numeric_limits<std::uint32_t>::max()};
  static constexpr FlowClassId kNoClass{std::numeric_limits<std::uint32_t>::max()};

  struct Resource {
    double capacity = 0;
    std::vector<RouteId> routes;
    ResourceId dominator = kNobody;
    bool touched = false;
    bool own = false;  // of a single route
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
  std::vector<ResourceId> touched_;  // whose routes have grown since regroup
  std::vector<RouteId> unclassed_;
  std::vector<RouteId> moved_;
};

}  // namespace paceline
