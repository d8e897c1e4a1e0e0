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

/// A point of order tests.
struct OrderPoint {
  std::string strategy;  ///< YAML lines
  int seed = 1;
  int scale = 1;  ///< of the delays
};

/// `late`: a worker with arithmetic that takes three times as long, or -1.
inline ExperimentFile order_experiment(const OrderPoint& point, int late = -1) {
  const auto delay = [&](int ms) { return std::to_string(ms * point.scale) + " ms"; };
  std::string text = "name: order\nseed: " + std::to_string(point.seed) +
                     "\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
                     "batch: 4\nsteps: 2\nwarmup: 1\ntrain: {evaluate: 1, held_out: 64}\n"
                     "stragglers:\n"
                     "  compute: {kind: shifted-exponential, shift: " +
                     delay(10) + ", mean: " + delay(300) + "}\n";
  if (late >= 0) text += "  workers: {" + std::to_string(late) + ": {slowdown: 3}}\n";
  text += "workers: " + std::to_string(kOrderWorkers) + "\n" + point.strategy;
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

/// A point with an order that delays decide.
struct Decided {
  OrderPoint point;
  Seconds late{};  ///< in each mini-batch of a worker; it changes nothing
  ClockRun predicted;
};

/// The run of this point on a computer that computes in no time, if neither a slower computer nor
/// one slower worker, each late by `late` in every mini-batch, changes its order.
template <class Simulate>
std::optional<Decided> decided_with(const OrderPoint& point, Seconds late,
                                    const Simulate& simulate) {
  ClockRun base = simulate(order_experiment(point), Seconds{0});
  for (int slow = -1; slow < kOrderWorkers; ++slow) {
    if (!decide_alike(base, simulate(order_experiment(point, slow), late * 0.5))) {
      return std::nullopt;
    }
  }
  return Decided{point, late, std::move(base)};
}

/// With a seed that leaves the order to the delays: of those listed, one that tolerates most
/// lateness. `simulate(file, arithmetic)` gives a ClockRun.
template <class Simulate>
std::optional<Decided> decided_by_delays(const std::string& strategy, int scale,
                                         const Simulate& simulate) {
  // those that do so for some strategy: a search takes longer than the test
  constexpr std::array kSeeds{1, 288, 521, 736, 814, 1179, 1824, 2521, 3073};
  const Seconds least{16e-3 * scale};
  for (const Seconds late : {4 * least, 2 * least, least}) {
    for (const int seed : kSeeds) {
      if (auto decided = decided_with({strategy, seed, scale}, late, simulate)) return decided;
    }
  }
  for (int seed = 1; seed <= 3000; ++seed) {
    if (auto decided = decided_with({strategy, seed, scale}, least, simulate)) return decided;
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

/// One point on both clocks.
struct BothRuns {
  ClockRun predicted, real;
};

/// `execute(file)` gives the real run, `simulate(file, arithmetic)` what it should decide. A run
/// that decides otherwise while load could delay it by more than an eighth of the delay that
/// changes nothing is inconclusive, and repeated with longer delays: code that decides wrongly does
/// so however long they are.
template <class Simulate, class Execute>
std::optional<BothRuns> run_decided(const std::string& strategy, const Simulate& simulate,
                                    const Execute& execute) {
  constexpr int kTries = 8;
  constexpr int kLongest = 8;
  for (int tries = 1, scale = 1;; ++tries, scale = std::min(2 * scale, kLongest)) {
    std::optional<Decided> decided = decided_by_delays(strategy, scale, simulate);
    if (!decided) return std::nullopt;
    const ExperimentFile file = order_experiment(decided->point);
    const OtherLoad load;
    ClockRun real = execute(file);
    if (tries == kTries || decide_alike(decided->predicted, real) ||
        !load.can_delay_by(decided->late * 0.125)) {
      return BothRuns{std::move(decided->predicted), std::move(real)};
    }
  }
}

}  // namespace paceline
