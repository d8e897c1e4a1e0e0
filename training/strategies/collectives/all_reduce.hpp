// SPDX-License-Identifier: MIT
/// \file
/// Training with replicated weights: workers sum their gradients among themselves and each updates
/// its own copy. How the sum is made is a family of algorithms, one file each.
#pragma once
#include "experiments/family.hpp"
#include "training/roles/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// When a worker may read the sum, and when its own buffer is no longer read by others.
struct Reduced {
  Token summed;
  Token sent;
};

/// An all-reduce: every rank calls it for the same slices in the same order.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  /// Sums `slice` of all ranks' gradients in place, once this rank's part is `ready`.
  virtual Task<Reduced> reduce(const Plan& plan, Backend& backend, RoleId me, Slice slice,
                               Token ready) const = 0;
  /// True when the machine's own library does it.
  virtual bool native() const { return false; }
};

const Family<AllReduce>& table_of(const AllReduce*);
Variant<AllReduce> ring_all_reduce();
Variant<AllReduce> nccl_all_reduce();

/// A worker that computes, all-reduces bucket by bucket and updates its own weights.
Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend, RoleId me);

/// A worker that exchanges nothing: its own clock, its own weights.
Task<> independent_worker(const Plan& plan, Backend& backend, RoleId me);

}  // namespace paceline
