// SPDX-License-Identifier: MIT
/// \file
/// An experiment's `stragglers:` map: random delays of mini-batches and of what they send, workers
/// that are always slow or have delays of their own, and failures of workers. Absent means none.
/// The delay of a mini-batch comes before forward or before backward, that of its communication
/// before its first gradient leaves.
///
///     stragglers:
///       compute: {kind: shifted-exponential, shift: 80 ms, mean: 100 ms, applies: added}
///       workers: {3: {slowdown: 1.15}, 5: {delay: 200 ms}}
///       failures: {every: 60 s, restart: 2 s}
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

/// The differences of one worker from the others.
struct WorkerStraggler {
  double slowdown = 1;      ///< multiplies its arithmetic, never its delay
  Choice<Straggler> delay;  ///< beside the delay of every worker; absent: none

  static void describe(Description<WorkerStraggler>& d) {
    d.optional("slowdown", &WorkerStraggler::slowdown, "multiplies the worker's arithmetic")
        .above(0)
        .at_most(1e6);
    d.optional("delay", &WorkerStraggler::delay,
               "delay of every mini-batch of the worker, beside that of 'compute'");
  }
};

/// Random failures of workers. They are memoryless: a restarted worker fails as early as a new one.
struct Failures {
  Seconds every;                   ///< mean lifetime of a worker, exponential
  std::optional<Seconds> restart;  ///< from a failure to the restart; absent: no restart

  /// The length of life number `life` (from 0) of `worker`. A pure function, the same on every
  /// clock.
  Seconds time_to_failure(std::uint64_t seed, std::uint32_t repeat, int worker,
                          std::uint64_t life) const;

  static void describe(Description<Failures>& d) {
    d.required("every", &Failures::every, "mean time between two failures of a worker")
        .at_least(Seconds{1e-6});
    d.optional("restart", &Failures::restart,
               "time until a failed worker restarts; absent: it does not restart")
        .at_least(Seconds{0});
  }
};

/// The longest delay that leaves room for all others on the clock of 63-bit picoseconds.
inline constexpr Seconds kLongestDelay{1e6};

/// The delays of all workers. A value: copies draw the same delays.
struct Stragglers {
  Choice<Straggler> compute;               ///< absent: no random delay
  Choice<Straggler> communication;         ///< absent: no random delay of what a worker sends
  std::map<int, WorkerStraggler> workers;  ///< the workers that differ, by id from 0
  std::optional<Failures> failures;        ///< absent: no worker fails

  /// The delay of `worker` before a pass of its mini-batch number `step` (counting all it has
  /// begun, cancelled ones included), given that the mini-batch's arithmetic, slowdown included,
  /// takes `arithmetic`; only `total` uses this time. The same arguments give the same delay on
  /// every clock, in any order. Throws std::runtime_error where the delay is above kLongestDelay.
  /// \param equal workers of which `worker` is the first: the longest of their delays, as one draw
  Seconds delay(Phase phase, const Draw& at, Seconds arithmetic, int equal = 1) const;
  /// Whether any worker is late before this pass.
  bool delays(Phase phase) const;
  /// Whether a draw is the total time of a mini-batch, so that its delay depends on the arithmetic.
  bool need_arithmetic() const;

  /// The delay of what `worker` sends after its mini-batch number `step`; draws as for `delay`,
  /// and independent of them.
  Seconds link_delay(std::uint64_t seed, std::uint32_t repeat, int worker, std::uint64_t step,
                     int equal = 1) const;

  /// Whether delays are drawn at random.
  bool random() const;
  /// Text of the files that the distributions name: a changed file makes another point.
  std::string content() const;

  /// The factor of the arithmetic of `worker`; 1 for a worker that is not listed.
  double slowdown(int worker) const;

  static void describe(Description<Stragglers>& d) {
    d.optional("compute", &Stragglers::compute, "random delay of every mini-batch");
    d.optional("communication", &Stragglers::communication,
               "random delay of what every mini-batch sends");
    d.optional("workers", &Stragglers::workers,
               "workers that are always slow or late, by id from 0");
    d.optional("failures", &Stragglers::failures, "random failures of workers");
  }
};

}  // namespace paceline
