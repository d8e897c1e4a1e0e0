// SPDX-License-Identifier: MIT
#include "training/metrics/measurement.hpp"

#include <algorithm>
#include <cmath>

namespace paceline {

double quantile_of(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

double robust_deviation(const std::vector<double>& values) {
  const double median = quantile_of(values, 0.5);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::fabs(value - median));
  return 1.4826 * quantile_of(distances, 0.5);
}

namespace {

using Field = std::optional<double> Measurement::*;

std::optional<double> mean_of(const std::vector<Measurement>& repeats, Field field) {
  double sum = 0;
  for (const Measurement& repeat : repeats) {
    if (!(repeat.*field)) return std::nullopt;
    sum += *(repeat.*field);
  }
  return sum / static_cast<double>(repeats.size());
}

}  // namespace

Measurement join_repeats(const std::vector<Measurement>& repeats,
                         const std::vector<std::vector<double>>& iterations,
                         double items_per_update) {
  Measurement joined;
  for (const Measurement& repeat : repeats) {
    if (repeat.status != "ok") joined.status = repeat.status;
    joined.steps.insert(joined.steps.end(), repeat.steps.begin(), repeat.steps.end());
  }
  for (const Field field :
       {&Measurement::updates, &Measurement::iteration_mean, &Measurement::step_mean,
        &Measurement::compute, &Measurement::delay, &Measurement::exposed_comm, &Measurement::wait,
        &Measurement::input, &Measurement::wasted, &Measurement::throughput,
        &Measurement::staleness_mean, &Measurement::staleness_p95, &Measurement::utilization,
        &Measurement::memory_bytes_peak, &Measurement::loss_final}) {
    joined.*field = mean_of(repeats, field);
  }
  if (repeats.size() > 1 && joined.throughput) {
    double squares = 0;
    for (const Measurement& repeat : repeats) {
      squares += std::pow(*repeat.throughput - *joined.throughput, 2);
    }
    const auto count = static_cast<double>(repeats.size());
    joined.throughput_stderr = std::sqrt(squares / (count - 1) / count);
  }
  std::vector<double> all;
  std::vector<double> rates;
  for (const std::vector<double>& one : iterations) {
    for (const double iteration : one) {
      all.push_back(iteration);
      if (iteration > 0) rates.push_back(items_per_update / iteration);
    }
  }
  if (!all.empty()) {
    joined.iteration_median = quantile_of(all, 0.5);
    joined.iteration_p95 = quantile_of(all, 0.95);
  }
  if (!rates.empty()) joined.throughput_jitter = robust_deviation(rates);
  return joined;
}

}  // namespace paceline
