// SPDX-License-Identifier: MIT
/// \file
/// Training with replicated weights: workers sum their gradients among themselves, and each updates
/// its own weights. The algorithms of the sum are a family, one file each.
#pragma once
#include "experiments/language/family.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// The end of an all-reduce on one rank.
struct Reduced {
  Token summed;  ///< the rank's buffer holds the sum
  Token sent;    ///< no other rank reads the buffer any more
};

/// An all-reduce: every rank calls it for the same slices in the same order.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  /// Sums `slice` of the gradients of all ranks in place; this rank's part is valid after `ready`.
  virtual Task<Reduced> reduce(const Plan& plan, Backend& backend, RoleId me, Slice slice,
                               Token ready) const = 0;
  /// Whether one command of the backend does it, which a library such as NCCL carries out.
  virtual bool native() const { return false; }
  /// The landing buffers of a rank, each as large as its gradient, where there are several ranks.
  virtual std::int32_t landings() const { return 0; }
};

const Family<AllReduce>& table_of(const AllReduce*);
Variant<AllReduce> ring_all_reduce();
Variant<AllReduce> nccl_all_reduce();

/// A worker that computes, all-reduces bucket by bucket and updates its own weights.
Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend, RoleId me);

/// A worker that exchanges nothing and updates its own weights after every mini-batch.
Task<> independent_worker(const Plan& plan, Backend& backend, RoleId me);

}  // namespace paceline
