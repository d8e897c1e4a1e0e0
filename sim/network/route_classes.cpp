// SPDX-License-Identifier: MIT
#include "sim/network/route_classes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace paceline {

ResourceId RouteClasses::add_resource(double capacity, bool shrinks) {
  if (!(capacity > 0) || !std::isfinite(capacity)) {
    throw std::invalid_argument("a resource's capacity must be finite and positive");
  }
  resources_.push_back({.capacity = capacity, .routes = {}, .scans = {}, .shrinks = shrinks});
  return static_cast<ResourceId>(resources_.size() - 1);
}

RouteId RouteClasses::add_route(std::span<const Use> uses, double rate_limit) {
  if (!(rate_limit > 0)) throw std::invalid_argument("a route's rate limit must be positive");
  for (const Use& use : uses) {
    if (index(use.resource) >= resources_.size())
      throw std::invalid_argument("a route uses an unknown resource");
    if (!(use.coefficient > 0) || !std::isfinite(use.coefficient)) {
      throw std::invalid_argument("a route's use of a resource must be finite and positive");
    }
  }
  const auto id = static_cast<RouteId>(routes_.size());
  std::vector<Use> sorted(uses.begin(), uses.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Use& a, const Use& b) { return a.resource < b.resource; });
  Route route{.first_use = static_cast<std::uint32_t>(route_uses_.size()), .limit = rate_limit};
  for (const Use& use : sorted) {
    if (route.uses > 0 && route_uses_.back().resource == use.resource) {
      route_uses_.back().coefficient += use.coefficient;
      continue;
    }
    route_uses_.push_back(use);
    ++route.uses;
    resources_[index(use.resource)].routes.push_back(id);
    touch(use.resource);
  }
  routes_.push_back(route);
  unclassed_.push_back(id);
  return id;
}

double RouteClasses::rate_alone(RouteId id) const {
  double rate = routes_[index(id)].limit;
  for (const Use& use : uses_of(id))
    rate = std::min(rate, capacity(use.resource) / use.coefficient);
  return rate;
}

// A new route on a resource l can end the domination of l. It can also let l dominate a resource k
// that so far was kept only because k tied with l and has the lower id: l now has more routes than
// k. Such a k is the last in the chain of dominators that starts at l. No other resource changes,
// so it is enough to look again at the resources with new routes, which are *touched*, and at their
// chains.
//
// A worked example: links A and B of capacity 10, all coefficients 1.
//
//     added               touched           dominated          classes
//     route 1 over A, B   A, B              B by A             1: {A}
//     route 2 over B      B; A by chain     A by B             1, 2: {B}
//     route 3 over A      A; B by chain     none               1: {A, B},  2: {B},  3: {A}
//
// On route 1 both links fill up at the same rate, and the lower id stays. Route 2 does not use A,
// so A no longer dominates B; but B, on all routes of A, now dominates A. B's new route has not
// touched A: only the chain from B to A finds it, and routes 1 and 2 become one class. Route 3 does
// not use B, so both links stay.
std::span<const RouteId> RouteClasses::regroup() {
  moved_.clear();
  for (std::size_t i = 0; i < touched_.size(); ++i) {  // grows as it goes
    const ResourceId dominator = resources_[index(touched_[i])].dominator;
    if (dominator != kNoResource) touch(dominator);
  }
  std::vector<RouteId> affected = std::move(unclassed_);
  unclassed_.clear();
  for (const ResourceId id : touched_) {
    Resource& resource = resources_[index(id)];
    resource.touched = false;
    const bool was_dominated = dominated(id);
    const bool was_own = resource.own;
    resource.dominator = find_dominator(id);
    resource.own = resource.routes.size() == 1;
    if (dominated(id) != was_dominated || resource.own != was_own) {
      affected.insert(affected.end(), resource.routes.begin(), resource.routes.end());
    }
  }
  touched_.clear();
  std::sort(affected.begin(), affected.end());
  affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
  for (const RouteId id : affected) {
    Route& route = routes_[index(id)];
    const Key key = reduced(id);
    const FlowClassId flow_class = class_for(key);
    const FlowClassId solo_class = class_for(solo(key));
    if (flow_class == route.flow_class && solo_class == route.solo_class) continue;
    route.flow_class = flow_class;
    route.solo_class = solo_class;
    moved_.push_back(id);
  }
  return moved_;
}

double RouteClasses::coefficient(RouteId route, ResourceId resource) const {
  const std::span<const Use> uses = uses_of(route);
  const auto use = std::lower_bound(uses.begin(), uses.end(), resource,
                                    [](const Use& a, ResourceId b) { return a.resource < b; });
  return use != uses.end() && use->resource == resource ? use->coefficient : 0.0;
}

void RouteClasses::touch(ResourceId id) {
  Resource& resource = resources_[index(id)];
  if (resource.touched) return;
  resource.touched = true;
  touched_.push_back(id);
}

bool RouteClasses::dominates(ResourceId strong, ResourceId weak, Scan& scan) const {
  const Resource& m = resources_[index(strong)];
  const Resource& l = resources_[index(weak)];
  if (scan.fails || m.routes.size() < l.routes.size()) return false;
  for (; scan.routes < l.routes.size(); ++scan.routes) {
    const RouteId route = l.routes[scan.routes];
    const double strong_share =
        coefficient(route, strong) / m.capacity;  // 0 where the route does not use it
    const double weak_share = coefficient(route, weak) / l.capacity;
    scan.fails = strong_share < weak_share;
    if (scan.fails) return false;
    scan.equal = scan.equal && strong_share == weak_share;
  }
  const bool equal = scan.equal && m.routes.size() == l.routes.size();
  return !equal || strong < weak;
}

ResourceId RouteClasses::find_dominator(ResourceId weak) {
  Resource& resource = resources_[index(weak)];
  if (resource.routes.empty() || resource.shrinks) return kNoResource;
  // a dominator is on every route, so on the first
  const std::span<const Use> uses = uses_of(resource.routes.front());
  resource.scans.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const ResourceId other = uses[i].resource;
    if (other != weak && dominates(other, weak, resource.scans[i])) return other;
  }
  return kNoResource;
}

RouteClasses::Key RouteClasses::reduced(RouteId id) const {
  const double limit = routes_[index(id)].limit;
  Key key{.uses = {}, .limit = limit};
  for (const Use& use : uses_of(id)) {
    if (limit >= capacity(use.resource) / use.coefficient)
      key.limit = std::numeric_limits<double>::infinity();
    if (!dominated(use.resource)) key.uses.push_back(use);
  }
  return key;
}

// The route's own resources become limits. A route without other resources keeps `reduced`, and
// with it a class of its own.
RouteClasses::Key RouteClasses::solo(const Key& reduced) const {
  Key key{.uses = {}, .limit = reduced.limit};
  for (const Use& use : reduced.uses) {
    if (resources_[index(use.resource)].own) {
      key.limit = std::min(key.limit, capacity(use.resource) / use.coefficient);
    } else {
      key.uses.push_back(use);
    }
  }
  return key.uses.empty() ? reduced : key;
}

FlowClassId RouteClasses::class_for(const Key& key) {
  if (3 * (classes_.size() + 1) > 2 * by_key_.size()) make_room();
  std::uint32_t& number = place_of(key);
  if (number == 0) {
    classes_.push_back({.first_use = static_cast<std::uint32_t>(class_uses_.size()),
                        .uses = static_cast<std::uint32_t>(key.uses.size()),
                        .limit = key.limit});
    class_uses_.insert(class_uses_.end(), key.uses.begin(), key.uses.end());
    number = static_cast<std::uint32_t>(classes_.size());
  }
  return static_cast<FlowClassId>(number - 1);
}

// The number of the class with this key, or the free place where it belongs.
std::uint32_t& RouteClasses::place_of(const Key& key) {
  std::uint64_t mixed = std::bit_cast<std::uint64_t>(key.limit);
  const auto mix = [&mixed](std::uint64_t value) {
    mixed = (mixed ^ value) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 29;
  };
  for (const Use& use : key.uses) {
    mix(index(use.resource));
    mix(std::bit_cast<std::uint64_t>(use.coefficient));
  }
  mix(key.uses.size());
  std::size_t place = static_cast<std::size_t>(mixed) & (by_key_.size() - 1);
  for (;; place = (place + 1) & (by_key_.size() - 1)) {
    const std::uint32_t number = by_key_[place];
    if (number == 0) return by_key_[place];
    const auto id = static_cast<FlowClassId>(number - 1);
    if (limit_of(id) == key.limit && std::ranges::equal(uses_of(id), key.uses))
      return by_key_[place];
  }
}

void RouteClasses::make_room() {
  by_key_.assign(by_key_.empty() ? 16 : 2 * by_key_.size(), 0);
  for (std::uint32_t number = 1; number <= classes_.size(); ++number) {
    const auto id = static_cast<FlowClassId>(number - 1);
    const std::span<const Use> uses = uses_of(id);
    place_of({.uses = {uses.begin(), uses.end()}, .limit = limit_of(id)}) = number;
  }
}

}  // namespace paceline
