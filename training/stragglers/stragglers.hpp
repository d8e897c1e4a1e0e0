// SPDX-License-Identifier: MIT
/// \file
/// An experiment's `stragglers:` map: how late mini-batches are by chance, and which workers are
/// slow always. Absent means none. The delay comes before forward.
///
///     stragglers:
///       compute: {kind: shifted-exponential, shift: 80 ms, mean: 100 ms, applies: added}
///       workers: {3: {slowdown: 1.15}}
#pragma once
#include <cstdint>
#include <map>

#include "training/stragglers/straggler.hpp"

namespace paceline {

/// What is different about one worker.
struct WorkerStraggler {
  double slowdown = 1;  ///< multiplies its arithmetic, never its delay

  static void describe(Description<WorkerStraggler>& d) {
    d.optional("slowdown", &WorkerStraggler::slowdown, "multiplies the worker's arithmetic")
        .above(0)
        .at_most(1e6);
  }
};

/// The delays of all workers. A value: copies draw the same delays.
struct Stragglers {
  Choice<Straggler> compute;               ///< empty: nobody is late by chance
  std::map<int, WorkerStraggler> workers;  ///< the workers that differ, by id from 0

  /// How long `worker` waits before mini-batch number `step` (those it has begun, cancelled ones
  /// included) whose arithmetic, its slowdown included, will take `arithmetic`. Only `total` uses
  /// the last. The same arguments give the same delay on every clock, in any order.
  Seconds delay(std::uint64_t seed, std::uint32_t repeat, int worker, std::uint64_t step,
                Seconds arithmetic) const;

  /// What multiplies the arithmetic of `worker`; 1 for a worker that is not listed.
  double slowdown(int worker) const;

  static void describe(Description<Stragglers>& d) {
    d.optional("compute", &Stragglers::compute, "time lost by chance in every mini-batch");
    d.optional("workers", &Stragglers::workers, "workers that are always slow, by id from 0");
  }
};

}  // namespace paceline
