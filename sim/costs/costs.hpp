// SPDX-License-Identifier: MIT
/// \file
/// The costs of a point's work on the simulated clock: times of layers, updates and sums, of
/// decisions and dispatch. A real clock does not use them.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "sim/costs/nccl_constants.hpp"
#include "sim/costs/tcp_cost.hpp"
#include "training/experiment/software/software.hpp"
#include "training/profile/network_profile.hpp"
#include "training/runtime/command.hpp"
#include "training/strategies/collectives/nccl_algorithm.hpp"
#include "training/workload/lengths/batch_lengths.hpp"

namespace paceline {

/// The memory bandwidth of a card that is divided among workers, each with a group of its
/// multiprocessors. A bandwidth of 0 means unlimited.
struct CardShares {
  BytesPerSecond memory;         ///< at most, of all groups together
  BytesPerSecond worker_memory;  ///< at most, of one worker's group
  BytesPerSecond server_memory;  ///< at most, of a server on the card
};

/// Kernels of updates and sums that are launched one after another, on the stream of the layers.
struct UpdateKernels {
  Seconds launch;     ///< of the kernels of one tensor; 0: they are not launched one by one
  double of_sum = 1;  ///< launches of a sum's operation / launches of an update
  std::vector<std::int64_t> tensors;  ///< the first parameter of each, ascending
  explicit operator bool() const { return launch > Seconds{}; }
  /// Of the tensors that begin in the slice.
  Seconds of(const Slice& slice) const;
};

/// Mini-batches of one shape, where sequences are of unequal length. Vectors are by layer.
struct ShapeCosts {
  double chance = 1;  ///< that a mini-batch has the shape
  std::vector<Seconds> forward, backward;
  std::vector<std::int64_t> loop_operations;
};

struct Costs {
  std::vector<Seconds> forward;   ///< by layer, one undisturbed worker, a whole mini-batch
  std::vector<Seconds> backward;  ///< by layer
  /// The lengths of sequences, and what a mini-batch of each of its shapes takes in place of
  /// `forward` and `backward`; null and empty: every mini-batch takes these.
  std::shared_ptr<const BatchLengths> lengths;
  std::vector<ShapeCosts> shapes;
  /// By layer, forward at the batch of validation passes; empty: there are none.
  std::vector<Seconds> validation;
  /// Bytes by layer between a worker's arithmetic and its GPU's memory, in the same passes; empty
  /// where memory is not shared.
  std::vector<Bytes> forward_traffic, backward_traffic, validation_traffic;
  std::vector<double> slowdown;  ///< by worker: multiplies its arithmetic
  /// By worker: multiplies its updates and sums, where GPUs differ; empty: all 1.
  std::vector<double> memory_slowdown;
  double variation = 0;  ///< deviation / mean of a worker's step time
  std::uint64_t seed = 1;
  std::uint32_t repeat = 0;
  /// Seconds per byte of parameters, on a worker and on a server.
  double worker_update = 0, server_update = 0, worker_reduce = 0, server_reduce = 0;
  UpdateKernels update_kernels;
  /// By shard: multiplies its updates and sums, where servers are on different devices; empty: all
  /// 1.
  std::vector<double> server_slowdown;
  /// The number of servers on a computer's CPUs that can run at once with the memory bandwidth each
  /// takes alone, not necessarily whole; 0: any number.
  double servers_at_once = 0;
  Seconds operation_start;  ///< from queueing to execution, on an idle stream
  Seconds passing_on;       ///< then, core time of threads that wake each other
  Seconds busy_operation_start, busy_passing_on;  ///< the same while all cores are busy
  Seconds decision;                               ///< from an event to the host's answer
  Seconds handling;  ///< of an operation, on the one thread that runs all roles
  Seconds dispatch;  ///< of a layer, on the thread that launches its kernels
  Dispatchers dispatchers = Dispatchers::computer;
  /// By layer: the operations of a loop, each dispatched by itself; empty: no layer is a loop.
  std::vector<std::int64_t> loop_operations;
  /// By layer: kernels that are dispatched one by one; empty: a layer is dispatched as a whole.
  std::vector<double> forward_kernels, backward_kernels;
  /// The shape of a mini-batch, an index into `shapes`; 0 without lengths.
  std::size_t shape_of(WorkId work) const;
  /// Whether workers may share the thread that launches kernels. At one instant it serves them in
  /// their order, whatever the order of events.
  bool launches_together() const {
    return dispatch > Seconds{} && dispatchers == Dispatchers::computer;
  }
  /// The thread that launches a worker's kernels: that of its GPU or computer, counted from 0.
  std::size_t dispatcher_of(int worker) const {
    const auto place = static_cast<std::size_t>(worker);
    if (dispatchers == Dispatchers::gpu) return place;
    return place < computers.size() ? static_cast<std::size_t>(computers[place]) : 0;
  }
  /// Dispatches of a range of layers of a mini-batch of shape number `shape`, and whether the host
  /// waits for some of them.
  double dispatches(const LayerRange& layers, std::size_t shape) const;
  bool loops(const LayerRange& layers) const;
  std::vector<int> computers;  ///< by worker, of a cluster; empty: one computer
  Seconds timer_error;         ///< lateness of a delay
  CollectiveCost collective;
  std::optional<NcclCosts> nccl;  ///< where `collective.model` is nccl and the library is used
  std::optional<NcclAlgorithm> forced;  ///< the only algorithm of its all-reduces
  ProcessCosts processes;
  /// Roles from this one on are loaders, and from `writers` on writers of checkpoints.
  RoleId programs = std::numeric_limits<RoleId>::max();
  RoleId writers = std::numeric_limits<RoleId>::max();
  double loader_copy = 0;  ///< seconds per byte that the host copies in its memory
  /// Bytes per second of a copy from a loader's pageable memory to a GPU; 0: it is pinned.
  double pageable = 0;
  double slice_copy = 0;     ///< seconds per byte of a data set that a worker copies out of it
  int cores_of_loaders = 0;  ///< of a computer, where workers are GPUs; 0: no bound
  int cores = 0;             ///< shared by workers and servers; 0: each has its own processor
  /// The weight of copies, sums and server updates relative to a worker's arithmetic, where they
  /// compete for a core: they get `precedence` times its share.
  double precedence = 1;
  /// The joint speed of all cores when all are busy, in units of a core that is busy alone; 0: the
  /// number of cores.
  double cores_together = 0;
  /// The total speed of a core, or of a shared card, for n workers that compute on it at once,
  /// relative to its speed for one worker; by n, from 1, and the last for more. Empty: 1, and of
  /// groups what their memory allows.
  std::vector<double> turns;
  /// By time slept, ascending: the extra time of a worker's step after its cores have slept.
  std::vector<AfterSleep> after_sleep;
  /// The vertex of the card that all workers share; -1: each worker has its own. Other work at this
  /// vertex shares the card too.
  int shared_card = -1;
  std::optional<CardShares> groups;  ///< empty: the workers take turns on the card
  int card_copy_engines = 0;         ///< card to host and back; 2: one per direction; 0: no limit
  /// Bandwidth of copies within the shared card, in bytes copied (each read and written); 0: no
  /// cost.
  BytesPerSecond card_copy_bandwidth;
  bool one_copy_engine = false;  ///< pushes and fetches share a stream

  double slowdown_of(int worker) const {
    return slowdown.empty() ? 1 : slowdown[static_cast<std::size_t>(worker)];
  }
  double memory_slowdown_of(int worker) const {
    return memory_slowdown.empty() ? 1 : memory_slowdown[static_cast<std::size_t>(worker)];
  }
  double server_slowdown_of(int shard) const {
    return server_slowdown.empty() ? 1 : server_slowdown[static_cast<std::size_t>(shard)];
  }
  Seconds forward_total() const;
  Seconds backward_total() const;
  /// Whether every worker has a processor to itself, and the host does nothing but launch kernels,
  /// those of workers beside each other from one thread.
  bool own_processors() const;
  /// The time of a worker's arithmetic for a mini-batch, its slowdown included; with lengths the
  /// mean over the shapes.
  Seconds arithmetic(int worker) const;
  /// The same of one mini-batch.
  Seconds arithmetic_of(WorkId work) const;
  /// Multiplies the times of all layers.
  void scale_arithmetic(double factor);
};

}  // namespace paceline
