// SPDX-License-Identifier: MIT
/// \file
/// An experiment's `stragglers:` map: how late mini-batches are by chance, which workers are slow
/// always, and how often one dies. Absent means none. The delay comes before forward.
///
///     stragglers:
///       compute: {kind: shifted-exponential, shift: 80 ms, mean: 100 ms, applies: added}
///       workers: {3: {slowdown: 1.15}}
///       failures: {every: 60 s, restart: 2 s}
#pragma once
#include <cstdint>
#include <map>
#include <optional>

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

/// Workers that die. What a worker has lived through does not count: it fails as early in its
/// second life as in its first.
struct Failures {
  Seconds every;                   ///< mean time that a worker lives, exponential
  std::optional<Seconds> restart;  ///< from its death to its next life; absent: there is none

  /// How long `worker` lives in its life number `life`, from 0. A pure function, on every clock.
  Seconds time_to_failure(std::uint64_t seed, std::uint32_t repeat, int worker,
                          std::uint64_t life) const;

  static void describe(Description<Failures>& d) {
    d.required("every", &Failures::every, "mean time between two failures of a worker")
        .above(Seconds{0});
    d.optional("restart", &Failures::restart,
               "time until a failed worker restarts; absent: it does not restart")
        .at_least(Seconds{0});
  }
};

/// The longest delay that the clock, in picoseconds of 63 bits, counts with room for all others.
inline constexpr Seconds kLongestDelay{1e6};

/// The delays of all workers. A value: copies draw the same delays.
struct Stragglers {
  Choice<Straggler> compute;               ///< empty: nobody is late by chance
  std::map<int, WorkerStraggler> workers;  ///< the workers that differ, by id from 0
  std::optional<Failures> failures;        ///< absent: nobody dies

  /// How long `worker` waits before mini-batch number `step` (those it has begun, cancelled ones
  /// included) whose arithmetic, its slowdown included, will take `arithmetic`. Only `total` uses
  /// the last. The same arguments give the same delay on every clock, in any order. Throws
  /// std::runtime_error where it is above kLongestDelay.
  Seconds delay(std::uint64_t seed, std::uint32_t repeat, int worker, std::uint64_t step,
                Seconds arithmetic) const;

  /// What multiplies the arithmetic of `worker`; 1 for a worker that is not listed.
  double slowdown(int worker) const;

  static void describe(Description<Stragglers>& d) {
    d.optional("compute", &Stragglers::compute, "random delay of every mini-batch");
    d.optional("workers", &Stragglers::workers, "workers that are always slow, by id from 0");
    d.optional("failures", &Stragglers::failures, "random failures of workers");
  }
};

}  // namespace paceline
