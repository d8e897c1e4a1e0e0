// SPDX-License-Identifier: MIT
/// \file
/// What things cost at a point, for the simulated clock: times of layers, updates and sums, of
/// decisions and dispatch. A real clock never looks at it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "training/cost/process_costs.hpp"
#include "training/profile/network_profile.hpp"
#include "training/software/software.hpp"

namespace paceline {

/// What the workers of one card share where each has a group of its multiprocessors to itself.
/// A bandwidth of 0: memory holds nobody up.
struct CardShares {
  BytesPerSecond memory;         ///< what all of them draw together, at most
  BytesPerSecond worker_memory;  ///< what one worker's group draws, at most
  BytesPerSecond server_memory;  ///< likewise of a server on the card
};

struct Costs {
  std::vector<Seconds> forward;   ///< by layer, one undisturbed worker, a whole mini-batch
  std::vector<Seconds> backward;  ///< by layer
  /// Bytes by layer between a worker's arithmetic and its GPU's memory, of the same passes; empty
  /// where nobody looks at them.
  std::vector<Bytes> forward_traffic, backward_traffic;
  std::vector<double> slowdown;  ///< by worker: multiplies its arithmetic
  double variation = 0;          ///< deviation / mean of a worker's step time
  std::uint64_t seed = 1;
  std::uint32_t repeat = 0;
  /// Seconds per byte of parameters, at a worker's and at a server's place.
  double worker_update = 0, server_update = 0, worker_reduce = 0, server_reduce = 0;
  /// How many servers on the host's CPUs have all the memory bandwidth that each takes alone, as a
  /// number that need not be whole; 0: all of them.
  double servers_at_once = 0;
  Seconds operation_start;  ///< from being queued to running, on an idle stream
  Seconds passing_on;       ///< then, of a core: threads that wake each other
  Seconds busy_operation_start, busy_passing_on;  ///< the same while all cores are busy
  Seconds decision;                               ///< from an event to the host's answer
  Seconds handling;     ///< of an operation, on the one thread that runs all roles
  Seconds dispatch;     ///< of a layer, on the one thread that drives all workers
  Seconds timer_error;  ///< by which a delay is late
  CollectiveCost collective;
  ProcessCosts processes;
  int cores = 0;  ///< that workers and servers share; 0: they have processors of their own
  /// How many times the share of a core that a worker's arithmetic has anything else gets, where
  /// they compete: copies, sums and updates of servers.
  double precedence = 1;
  /// What all cores do together when all are busy, in cores that are busy alone; 0: all they can.
  double cores_together = 0;
  /// What a core, or the time of a shared card, does for n workers that take turns at it, as a
  /// share of what it does for one; by n, from 1, and the last for more. Empty: as much.
  std::vector<double> turns;
  /// By time slept, ascending: what a worker's step takes longer after the cores have slept.
  std::vector<AfterSleep> after_sleep;
  /// The vertex of the card that all workers share, where they do; -1: they have cards of their
  /// own. What else is done at this vertex takes part.
  int shared_card = -1;
  std::optional<CardShares> groups;  ///< nothing: they share its time
  int card_copy_engines = 0;  ///< between the shared card and the host; 2: one a direction; 0: any
  /// Of copies within the shared card: bytes copied, each read and written; 0: they cost nothing.
  BytesPerSecond card_copy_bandwidth;
  bool one_copy_engine = false;  ///< pushes and fetches share a stream

  Seconds forward_total() const;
  Seconds backward_total() const;
  /// A worker's arithmetic of a mini-batch, its slowdown included.
  Seconds arithmetic(int worker) const;
};

}  // namespace paceline
