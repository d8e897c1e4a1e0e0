// SPDX-License-Identifier: MIT
// The figures of a run, once it is over.
#include <algorithm>

#include "training/results/metrics/recorder.hpp"

namespace paceline {

/// The mini-batches of the window; if every update takes all mini-batches that are begun, those of
/// the window's updates.
double Recorder::mini_batches() const {
  return counting_.by_version() ? static_cast<double>(gradients_in_window_) : begun_.in(window_);
}

/// Seconds of the window that the figures are of.
double Recorder::measured_seconds() const {
  if (counting_.bus_factor) return collective_seconds_;
  return window_.opened() ? (window_.end() - window_.begin()).value() : 0;
}

/// Seconds of waiting in the window; workers that died and did not restart wait until its end.
double Recorder::wait_with_the_dead() const {
  double wait = seconds_of(Activity::wait);
  for (const Death& death : deaths_of_) {
    if (death.begin.ps >= 0 && death.end.ps < 0) {
      wait += window_.clipped(death.begin, window_.end());
    }
  }
  return wait;
}

/// The rest of `all` seconds of the workers in the window, without rounding where it can be.
double Recorder::seconds_of_nothing(double all) const {
  TimeSum rest;
  if (!counting_.bus_factor) rest.add(window_.end().ps - window_.begin().ps, counting_.workers);
  for (const TimeSum& times : times_) rest -= times;
  const double dead = wait_with_the_dead() - seconds_of(Activity::wait);
  return rest.seconds() - dead + (counting_.bus_factor ? all : 0);
}

void Recorder::report_rates(Measurement& result, double applied) const {
  const double window = measured_seconds();
  if (!(window > 0)) return;
  const double items = positions_.mean_items().value_or(counting_.items_per_gradient);
  result.throughput = applied * items / window;
  if (counting_.bus_factor) result.bus_bandwidth = *result.throughput * *counting_.bus_factor;
  const double busy = seconds_of(Activity::compute) + seconds_of(Activity::validation);
  result.utilization = busy / (static_cast<double>(counting_.workers) * window);
  if (server_busy_.empty()) return;
  const double busiest = *std::max_element(server_busy_.begin(), server_busy_.end());
  result.server_busy = std::min(1.0, busiest / window);
}

namespace {

double histogram_quantile(const std::vector<std::int64_t>& counts, std::int64_t total, double q) {
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (static_cast<double>(seen) >= q * static_cast<double>(total)) return static_cast<double>(i);
  }
  return 0;
}

}  // namespace

void Recorder::report_staleness(Measurement& result) const {
  std::int64_t total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < staleness_.size(); ++i) {
    total += staleness_[i];
    sum += static_cast<double>(i) * static_cast<double>(staleness_[i]);
  }
  if (total > 0) {
    result.staleness_mean = sum / static_cast<double>(total);
    result.staleness_p95 = histogram_quantile(staleness_, total, 0.95);
    result.staleness_max = static_cast<double>(staleness_.size()) - 1;
    result.staleness.assign(staleness_.begin(), staleness_.end());
  } else if (counting_.replicas) {
    result.staleness_mean = result.staleness_p95 = result.staleness_max = 0;
  }
}

Measurement Recorder::result() const {
  Measurement result;
  const double window = measured_seconds();
  const auto updates = static_cast<double>(updates_in_window_);
  result.updates = updates;
  result.total = (window_.end() - Instant{}).value();
  result.failures = static_cast<double>(deaths_);
  if (updates_in_window_ == 0) return result;  // the run did not reach its window
  const double counted = mini_batches();
  const double divisor = counted > 0 ? counted : 1;
  auto applied = static_cast<double>(gradients_in_window_);
  result.iteration_mean = window / updates;
  if (counting_.applies_at_own_pace() && counted > 0) {
    *result.iteration_mean *= applied / counted;
    applied = counted;
  }
  if (counting_.independent && counted > 0) result.updates = counted / counting_.workers;
  result.step_mean = static_cast<double>(counting_.workers) * window / divisor;
  result.compute = seconds_of(Activity::compute) / divisor;
  result.delay = seconds_of(Activity::delay) / divisor;
  result.wait = wait_with_the_dead() / divisor;
  result.input = seconds_of(Activity::input) / divisor;
  const double validation = seconds_of(Activity::validation) / divisor;
  const double checkpoint = seconds_of(Activity::checkpoint) / divisor;
  if (counting_.validates) result.validation = validation;
  if (counting_.checkpoints) result.checkpoint = checkpoint;
  result.wasted = wasted_.seconds() / divisor;
  result.exposed_comm = std::max(0.0, seconds_of_nothing(*result.step_mean * divisor) / divisor);
  report_rates(result, applied);
  report_staleness(result);
  positions_.report(result);
  result.steps = steps_.worked_on();
  return result;
}

}  // namespace paceline
