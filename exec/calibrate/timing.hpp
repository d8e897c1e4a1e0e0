// SPDX-License-Identifier: MIT
/// \file
/// Medians of repeated timings on the host's clock.
#pragma once
#include <chrono>
#include <vector>

#include "experiments/language/units.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// Time since its construction.
class Stopwatch {
 public:
  Seconds elapsed() const {
    return Seconds{std::chrono::duration<double>(Clock::now() - began_).count()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
};

/// Median time of `work`, repeated for about `budget` and at least 5 times; `before` runs before
/// each repeat and is not timed.
template <class Before, class Work>
Seconds median_time(Seconds budget, Before&& before, const Work& work) {
  constexpr std::size_t kLeast = 5;
  constexpr std::size_t kMost = 2000;
  std::vector<double> times;
  const Stopwatch all;
  while (times.size() < kLeast || (all.elapsed() < budget && times.size() < kMost)) {
    before();
    const Stopwatch one;
    work();
    times.push_back(one.elapsed().value());
  }
  return Seconds{quantile_of(times, 0.5)};
}

}  // namespace paceline
