// SPDX-License-Identifier: MIT
// Progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): raise the rates of
// all variables together until a resource fills up or a variable reaches its limit; fix the
// variables concerned; go on with the others.
//
// The level of a resource, left / load, is the common rate at which it fills up. Fixing variables
// at the current rate or below can only raise the levels of other resources, so a heap with
// outdated levels is enough: an outdated entry that comes out goes back in with its current level.
#include "sim/network/max_min.hpp"

#include <algorithm>

namespace paceline {

void MaxMin::clear() {
  resources_.clear();
  variables_.clear();
  shares_.clear();
}

std::uint32_t MaxMin::add_resource(double capacity) {
  resources_.push_back({.capacity = capacity});
  return static_cast<std::uint32_t>(resources_.size() - 1);
}

std::uint32_t MaxMin::add_variable(double weight, double limit, std::span<const Share> shares) {
  variables_.push_back({.weight = weight,
                        .limit = limit,
                        .first_share = static_cast<std::uint32_t>(shares_.size()),
                        .shares = static_cast<std::uint32_t>(shares.size())});
  shares_.insert(shares_.end(), shares.begin(), shares.end());
  return static_cast<std::uint32_t>(variables_.size() - 1);
}

void MaxMin::solve() {
  list_users();
  push_levels();
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end(), later);
    Level& lowest = levels_.back();
    if (lowest.is_resource && resources_[lowest.index].open > 0) {
      Resource& resource = resources_[lowest.index];
      if (const double level = level_of(resource); level > lowest.rate) {
        lowest.rate = level;
        std::push_heap(levels_.begin(), levels_.end(), later);
        continue;
      }
      saturate(resource, lowest.rate);
    } else if (!lowest.is_resource && !variables_[lowest.index].fixed) {
      fix(lowest.index, lowest.rate);
    }
    levels_.pop_back();
  }
}

bool MaxMin::later(const Level& a, const Level& b) {
  if (a.rate != b.rate) return a.rate > b.rate;
  if (a.is_resource != b.is_resource) return b.is_resource;
  return a.index > b.index;
}

// Sorts the shares, which are stored by variable, by resource (a counting sort).
void MaxMin::list_users() {
  for (Resource& resource : resources_) resource.users = 0;
  for (const Share& share : shares_) ++resources_[share.resource].users;
  std::uint32_t first = 0;
  for (Resource& resource : resources_) {
    resource.first_user = first;
    first += resource.users;
    resource.left = resource.capacity;
    resource.load = 0;
    resource.open = 0;
  }
  users_.resize(shares_.size());
  for (std::uint32_t v = 0; v < variables_.size(); ++v) {
    const Variable& variable = variables_[v];
    for (std::uint32_t s = 0; s < variable.shares; ++s) {
      const Share& share = shares_[variable.first_share + s];
      Resource& resource = resources_[share.resource];
      const double demand = variable.weight * share.coefficient;
      users_[resource.first_user + resource.open++] = {v, demand};
      resource.load += demand;
    }
  }
}

void MaxMin::push_levels() {
  levels_.clear();
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    Resource& resource = resources_[r];
    resource.summed = resource.load;
    if (resource.open > 0) levels_.push_back({resource.capacity / resource.load, r, true});
  }
  for (std::uint32_t v = 0; v < variables_.size(); ++v) {
    Variable& variable = variables_[v];
    variable.rate = kUnlimited;
    variable.fixed = false;
    if (variable.limit < kUnlimited) levels_.push_back({variable.limit, v, false});
  }
  std::make_heap(levels_.begin(), levels_.end(), later);
}

void MaxMin::saturate(const Resource& resource, double rate) {
  for (std::uint32_t u = 0; u < resource.users; ++u) {
    const std::uint32_t variable = users_[resource.first_user + u].variable;
    if (!variables_[variable].fixed) fix(variable, rate);
  }
}

void MaxMin::fix(std::uint32_t v, double rate) {
  Variable& variable = variables_[v];
  variable.rate = rate;
  variable.fixed = true;
  for (std::uint32_t s = 0; s < variable.shares; ++s) {
    const Share& share = shares_[variable.first_share + s];
    Resource& resource = resources_[share.resource];
    const double demand = variable.weight * share.coefficient;
    resource.left -= demand * rate;
    resource.load -= demand;
    --resource.open;
  }
}

// Subtraction from a sum keeps the absolute error of the large sum it once was, so a load that has
// become small is summed again. It shrinks by a factor of 1000 between two such sums, so this
// happens a few times at most.
double MaxMin::level_of(Resource& resource) const {
  constexpr double kTrusted = 1e-3;
  if (resource.load < kTrusted * resource.summed) {
    resource.load = 0;
    for (std::uint32_t u = 0; u < resource.users; ++u) {
      const User& user = users_[resource.first_user + u];
      if (!variables_[user.variable].fixed) resource.load += user.demand;
    }
    resource.summed = resource.load;
  }
  return resource.left / resource.load;
}

}  // namespace paceline
