// SPDX-License-Identifier: MIT
/// \file
/// A plan that is small enough to follow by hand.
#pragma once
#include "training/strategies/plan.hpp"

namespace paceline {

constexpr int kBuckets = 3;

/// A plan for 12 parameters in three buckets of a layer each.
inline Plan plan_of(int workers, int shards) {
  Plan plan;
  plan.workers = workers;
  plan.shards = shards;
  plan.rule.gradients = workers;
  plan.updates = plan.gradients = 100;
  for (std::int32_t layer = kBuckets; layer-- > 0;) {
    plan.cut.buckets.push_back({layer, layer + 1, {4 * layer, 4 * layer + 4, 16}});
  }
  for (int shard = 0; shard < shards; ++shard) {
    plan.cut.shards.push_back({12 * shard / shards, 12 * (shard + 1) / shards, 48.0 / shards});
  }
  return plan;
}

inline Stream compute_of(RoleId role) {
  return {role, StreamKind::compute};
}
inline Stream push_of(RoleId role) {
  return {role, StreamKind::push};
}
inline Stream fetch_of(RoleId role) {
  return {role, StreamKind::fetch};
}

}  // namespace paceline
