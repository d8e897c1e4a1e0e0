// SPDX-License-Identifier: MIT
/// \file
/// Training with replicated weights: workers sum their gradients among themselves, and each updates
/// its own weights. The algorithms of the sum are a family, one file each.
#pragma once
#include <limits>
#include <optional>

#include "experiments/language/family.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/collectives/nccl_algorithm.hpp"
#include "training/strategies/collectives/run_schedule.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// An algorithm of the all-reduce.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  /// Its steps among the plan's workers; null where one command of the backend does it all.
  virtual SharedSchedule schedule(const Plan& /*plan*/) const { return nullptr; }
  /// The collective that it carries out; only a program from a file has another than all-reduce.
  virtual Operation operation() const { return Operation::all_reduce; }
  /// Slices of a bucket of this size that follow each other through the schedule.
  virtual int slices(double /*bytes*/, int /*workers*/) const { return 1; }
  /// Whether a bucket of any size travels as a whole.
  bool whole() const { return slices(std::numeric_limits<double>::infinity(), 2) == 1; }
  /// Whether one command of the backend does it, which a library such as NCCL carries out.
  virtual bool native() const { return false; }
  /// The only algorithm that such a library may use.
  virtual std::optional<NcclAlgorithm> forced() const { return std::nullopt; }
  /// Text of the files that it reads: a changed file makes another point.
  virtual std::string content() const { return ""; }
  /// Why it cannot serve the plan's workers, by their number or places; "" if it can.
  virtual std::string problem(const Plan& /*plan*/) const { return ""; }
};

const Family<AllReduce>& table_of(const AllReduce*);
Variant<AllReduce> ring_all_reduce();
Variant<AllReduce> halving_doubling_all_reduce();
Variant<AllReduce> double_binary_tree_all_reduce();
Variant<AllReduce> hierarchical_all_reduce();
Variant<AllReduce> torus_all_reduce();
Variant<AllReduce> rails_all_reduce();
Variant<AllReduce> peer_to_peer_all_reduce();
Variant<AllReduce> msccl_all_reduce();
Variant<AllReduce> nccl_all_reduce();

/// The landing that a worker needs for all buckets, in parameters.
std::int64_t landing_size(const AllReduce& algorithm, const Plan& plan);

/// A worker that computes, all-reduces bucket by bucket and updates its own weights.
Task<> all_reduce_worker(const Plan& plan, const AllReduce& algorithm, Backend& backend, RoleId me);

/// A worker that exchanges nothing and updates its own weights after every mini-batch.
Task<> independent_worker(const Plan& plan, Backend& backend, RoleId me);

}  // namespace paceline
