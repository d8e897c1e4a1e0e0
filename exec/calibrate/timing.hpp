// SPDX-License-Identifier: MIT
/// \file
/// Medians of repeated timings on the host's clock.
#pragma once
#include <algorithm>
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

/// Mean of the middle nine tenths: of a run without its start and outliers. 0 of none.
inline Seconds middle_mean(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t out = values.size() / 20;
  double sum = 0;
  for (std::size_t i = out; i < values.size() - out; ++i) sum += values[i];
  return Seconds{sum / static_cast<double>(values.size() - 2 * out)};
}

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
