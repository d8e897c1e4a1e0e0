// SPDX-License-Identifier: MIT
/// \file
/// Points with an order of updates that delays decide, so that a real-time clock must decide as the
/// simulator does; and a check that the computer kept time during a run.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "tests/exec/host/both_clocks.hpp"

namespace paceline {

constexpr int kOrderWorkers = 4;

inline void PrintTo(const GradientEvent& event, std::ostream* out) {
  *out << "worker " << event.worker << " step " << event.step << " of version " << event.computed;
  if (event.applied >= 0) *out << " to " << event.applied;
}

/// `strategy`: YAML lines. `late`: a worker with arithmetic that takes three times as long, or -1.
inline ExperimentFile order_experiment(const std::string& strategy, int seed, int late = -1) {
  std::string text = "name: order\nseed: " + std::to_string(seed) +
                     "\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
                     "batch: 4\nsteps: 2\nwarmup: 1\ntrain: {evaluate: 1, held_out: 64}\n"
                     "stragglers:\n"
                     "  compute: {kind: shifted-exponential, shift: 10 ms, mean: 300 ms}\n";
  if (late >= 0) text += "  workers: {" + std::to_string(late) + ": {slowdown: 3}}\n";
  text += "workers: " + std::to_string(kOrderWorkers) + "\n" + strategy;
  return load_experiment_text("order.yaml", text, {});
}

inline bool decide_alike(const ClockRun& one, const ClockRun& other) {
  const Order a(one.events), b(other.events);
  return a.accepted == b.accepted && a.cancelled == b.cancelled;
}

struct Decided {
  int seed = 0;
  ClockRun predicted;
};

/// The first seed with an order that neither a slower computer nor one slower worker changes, each
/// late by `late` in every mini-batch. `simulate(file, arithmetic)` gives a ClockRun.
template <class Simulate>
std::optional<Decided> decided_by_delays(const std::string& strategy, Seconds late,
                                         const Simulate& simulate) {
  for (int seed = 1; seed <= 3000; ++seed) {
    ClockRun base = simulate(order_experiment(strategy, seed), Seconds{0});
    bool decided = true;
    for (int slow = -1; slow < kOrderWorkers && decided; ++slow) {
      decided = decide_alike(base, simulate(order_experiment(strategy, seed, slow), late * 0.5));
    }
    if (decided) return Decided{seed, std::move(base)};
  }
  return std::nullopt;
}

/// Detects other load on the processors: the wake-up latency of a thread that only sleeps.
class Sleeper {
 public:
  Sleeper()
      : thread_([this](const std::stop_token& stop) {
          using Clock = std::chrono::steady_clock;
          while (!stop.stop_requested()) {
            const Clock::time_point until = Clock::now() + std::chrono::milliseconds(1);
            std::this_thread::sleep_until(until);
            const double late = std::chrono::duration<double>(Clock::now() - until).count();
            latest_ = std::max<double>(latest_, late);
          }
        }) {}
  Seconds latest() const { return Seconds{latest_}; }

 private:
  std::atomic<double> latest_ = 0;
  std::jthread thread_;
};

/// The result of `run()`. If the run decides otherwise than predicted, and a thread that only
/// sleeps was late by more than an eighth of the tolerated delay, the run is inconclusive and is
/// repeated.
template <class Run>
ClockRun run_on_time(const ClockRun& predicted, Seconds late, const Run& run) {
  constexpr int kTries = 20;
  for (int tries = 1;; ++tries) {
    const Sleeper sleeper;
    ClockRun real = run();
    if (tries == kTries || decide_alike(predicted, real) || sleeper.latest() < late * 0.125) {
      return real;
    }
  }
}

}  // namespace paceline
