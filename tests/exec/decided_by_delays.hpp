// SPDX-License-Identifier: MIT
/// \file
/// Points with an order of updates that delays decide, so that a real-time clock must decide as the
/// simulator does; and a check that the computer kept time during a run.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

/// Losses of one order differ where a cancelled gradient had left its residual or had not; rounding
/// of sums in another order stays below `kRounding`.
inline bool losses_agree(const ClockRun& one, const ClockRun& other) {
  constexpr double kRounding = 1e-4;
  return std::equal(one.curve.begin(), one.curve.end(), other.curve.begin(), other.curve.end(),
                    [](const CurvePoint& a, const CurvePoint& b) {
                      return std::abs(a.loss - b.loss) <= kRounding * a.loss;
                    });
}

inline bool decide_alike(const ClockRun& one, const ClockRun& other) {
  const Order a(one.events), b(other.events);
  return a.accepted == b.accepted && a.cancelled == b.cancelled && losses_agree(one, other);
}

struct Decided {
  int seed = 0;
  Seconds late{};  ///< in each mini-batch of a worker; it changes nothing
  ClockRun predicted;
};

/// The run of this seed on a computer that computes in no time, if neither a slower computer nor
/// one slower worker, each late by `late` in every mini-batch, changes its order.
template <class Simulate>
std::optional<Decided> decided_with(const std::string& strategy, int seed, Seconds late,
                                    const Simulate& simulate) {
  ClockRun base = simulate(order_experiment(strategy, seed), Seconds{0});
  for (int slow = -1; slow < kOrderWorkers; ++slow) {
    if (!decide_alike(base, simulate(order_experiment(strategy, seed, slow), late * 0.5))) {
      return std::nullopt;
    }
  }
  return Decided{seed, late, std::move(base)};
}

/// A seed that leaves the order to the delays: of those listed, one that tolerates most lateness.
/// `simulate(file, arithmetic)` gives a ClockRun.
template <class Simulate>
std::optional<Decided> decided_by_delays(const std::string& strategy, const Simulate& simulate) {
  // those that do so for some strategy: a search takes longer than the test
  constexpr std::array kSeeds{1, 288, 521, 736, 814, 1179, 1824, 2521, 3073};
  constexpr Seconds kLeast{16e-3};
  for (const Seconds late : {4 * kLeast, 2 * kLeast, kLeast}) {
    for (const int seed : kSeeds) {
      if (auto decided = decided_with(strategy, seed, late, simulate)) return decided;
    }
  }
  for (int seed = 1; seed <= 3000; ++seed) {
    if (auto decided = decided_with(strategy, seed, kLeast, simulate)) return decided;
  }
  return std::nullopt;
}

/// Detects other load on the processors: the wake-up latency of a thread that only sleeps, and the
/// share of time in which the processors had nothing to do.
class OtherLoad {
 public:
  OtherLoad()
      : thread_([this](const std::stop_token& stop) {
          using Clock = std::chrono::steady_clock;
          while (!stop.stop_requested()) {
            const Clock::time_point until = Clock::now() + std::chrono::milliseconds(1);
            std::this_thread::sleep_until(until);
            const double late = std::chrono::duration<double>(Clock::now() - until).count();
            latest_ = std::max<double>(latest_, late);
          }
        }) {}

  /// A run mostly waits for its delays, so that processors without other load are mostly idle.
  bool can_delay_by(Seconds tolerated) const {
    const Times now = times();
    const bool busy = now.idle - start_.idle < 0.5 * (now.all - start_.all);
    return busy || Seconds{latest_} > tolerated;
  }

 private:
  /// Since the computer started, of all processors, in ticks.
  struct Times {
    double idle = 0, all = 0;
  };
  /// The first line of /proc/stat: cpu user nice system idle iowait irq softirq steal.
  static Times times() {
    std::ifstream file("/proc/stat");
    std::string cpu;
    file >> cpu;
    Times times;
    double ticks = 0;
    for (int field = 0; field < 8 && file >> ticks; ++field) {
      times.all += ticks;
      if (field == 3 || field == 4) times.idle += ticks;
    }
    return times;
  }

  const Times start_ = times();
  std::atomic<double> latest_ = 0;
  std::jthread thread_;
};

/// The result of `run()`. If the run decides otherwise than predicted while other load could delay
/// it by more than an eighth of the delay that changes nothing, it is inconclusive and repeated.
template <class Run>
ClockRun run_on_time(const Decided& decided, const Run& run) {
  constexpr int kTries = 20;
  for (int tries = 1;; ++tries) {
    const OtherLoad load;
    ClockRun real = run();
    if (tries == kTries || decide_alike(decided.predicted, real) ||
        !load.can_delay_by(decided.late * 0.125)) {
      return real;
    }
  }
}

}  // namespace paceline
