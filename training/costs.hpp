// SPDX-License-Identifier: MIT
/// \file
/// What things cost at a point, for the simulated clock: times of layers, updates and sums, of
/// decisions and dispatch. A real clock never looks at it.
#pragma once
#include <cstdint>
#include <vector>

#include "training/cost/process_costs.hpp"
#include "training/software/software.hpp"

namespace paceline {

struct Costs {
  std::vector<Seconds> forward;   ///< by layer, one undisturbed worker, a whole mini-batch
  std::vector<Seconds> backward;  ///< by layer
  std::vector<double> slowdown;   ///< by worker: multiplies its arithmetic
  double variation = 0;           ///< deviation / mean of a worker's step time
  std::uint64_t seed = 1;
  std::uint32_t repeat = 0;
  /// Seconds per byte of parameters, at a worker's and at a server's place.
  double worker_update = 0, server_update = 0, worker_reduce = 0, server_reduce = 0;
  Seconds operation_start;  ///< from being queued to running, on an idle stream
  Seconds decision;         ///< from an event to the host's answer
  Seconds handling;         ///< of an operation, on the one thread that runs all roles
  Seconds dispatch;         ///< of a layer, on the one thread that drives all workers
  Seconds timer_error;      ///< by which a delay is late
  CollectiveCost collective;
  ProcessCosts processes;
  int cores = 0;  ///< that workers and servers share; 0: they have processors of their own
  /// What all cores do together when all are busy, in cores that are busy alone; 0: all they can.
  double cores_together = 0;
  /// What a core does for n workers that take turns at it, as a share of what it does for one; by
  /// n, from 1, and the last for more. Empty: as much.
  std::vector<double> turns;
  /// The vertex of the card that all workers share, by time, where they do; -1: they have cards of
  /// their own. What else is done at this vertex takes part.
  int shared_card = -1;
  /// Of copies within the shared card: bytes copied, each read and written; 0: they cost nothing.
  BytesPerSecond card_copy_bandwidth;
  bool one_copy_engine = false;  ///< pushes and fetches share a stream

  Seconds forward_total() const;
  Seconds backward_total() const;
  /// A worker's arithmetic of a mini-batch, its slowdown included.
  Seconds arithmetic(int worker) const;
};

}  // namespace paceline
