// SPDX-License-Identifier: MIT
#include "training/results/metrics/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/language/value.hpp"
#include "training/results/columns.hpp"
#include "training/results/metrics/status.hpp"

namespace paceline {

double quantile_of(std::vector<double> values, double q) {
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), low, values.end());
  const double next = low + 1 < values.end() ? *std::min_element(low + 1, values.end()) : *low;
  return *low + (at - std::floor(at)) * (next - *low);
}

double robust_deviation(const std::vector<double>& values) {
  const double median = quantile_of(values, 0.5);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::fabs(value - median));
  return 1.4826 * quantile_of(distances, 0.5);
}

namespace {

using Field = std::optional<double> Measurement::*;

/// Mean over the repeats; empty where the field of a repeat is empty.
std::optional<double> mean_of(const std::vector<Measurement>& repeats, Field field) {
  double sum = 0;
  for (const Measurement& repeat : repeats) {
    if (!(repeat.*field)) return std::nullopt;
    sum += *(repeat.*field);
  }
  return sum / static_cast<double>(repeats.size());
}

std::optional<double> standard_error(const std::vector<Measurement>& repeats, Field field) {
  const std::optional<double> mean = mean_of(repeats, field);
  if (!mean || repeats.size() < 2) return std::nullopt;
  double squares = 0;
  for (const Measurement& repeat : repeats) squares += std::pow(*(repeat.*field) - *mean, 2);
  const auto count = static_cast<double>(repeats.size());
  return std::sqrt(squares / (count - 1) / count);
}

void join_lists(Measurement& joined, const Measurement& repeat) {
  joined.steps.insert(joined.steps.end(), repeat.steps.begin(), repeat.steps.end());
  joined.curve.insert(joined.curve.end(), repeat.curve.begin(), repeat.curve.end());
  if (joined.staleness.size() < repeat.staleness.size()) {
    joined.staleness.resize(repeat.staleness.size(), 0);
  }
  for (std::size_t i = 0; i < repeat.staleness.size(); ++i) {
    joined.staleness[i] += repeat.staleness[i];
  }
}

StepTimes step_times_of(const std::vector<Samples>& samples) {
  std::vector<float> all;
  for (const Samples& one : samples) all.insert(all.end(), one.steps.begin(), one.steps.end());
  StepTimes times;
  std::sort(all.begin(), all.end());
  if (all.empty() || all.back() == 0) return times;  // work without time has no distribution
  double sum = 0, squares = 0;
  for (const float value : all) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  times.steps = static_cast<double>(all.size());
  times.mean_s = sum / times.steps;
  const double variance = std::max(0.0, squares / times.steps - times.mean_s * times.mean_s);
  times.cv = times.mean_s > 0 ? std::sqrt(variance) / times.mean_s : 0;
  for (int i = 0; i < StepTimes::kQuantiles; ++i) {
    const double at = (times.steps - 1) * i / (StepTimes::kQuantiles - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, all.size() - 1);
    const auto [a, b] = std::pair{static_cast<double>(all[low]), static_cast<double>(all[high])};
    times.quantiles.push_back(a + (at - static_cast<double>(low)) * (b - a));
  }
  return times;
}

}  // namespace

Measurement join_repeats(const std::vector<Measurement>& repeats,
                         const std::vector<Samples>& samples, double items_per_update) {
  Measurement joined;
  for (const Measurement& repeat : repeats) {
    if (repeat.status != "ok" && !ended_without_a_finite_loss(joined.status))
      joined.status = repeat.status;
    join_lists(joined, repeat);
  }
  for (const Column& column : columns()) {
    const Figure* figure = column.figure();
    if (figure != nullptr && figure->mean) joined.*figure->value = mean_of(repeats, figure->value);
  }
  joined.throughput_stderr = standard_error(repeats, &Measurement::throughput);
  joined.time_to_target_stderr = standard_error(repeats, &Measurement::time_to_target);
  joined.step_times = step_times_of(samples);
  std::vector<double> all;
  std::vector<double> rates;
  for (const Samples& one : samples) {
    for (const double iteration : one.iterations) {
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

std::string why_impossible(const Measurement& measurement, double rounding) {
  for (const Column& column : columns()) {
    const Figure* figure = column.figure();
    if (figure == nullptr) continue;
    const std::optional<double>& value = measurement.*figure->value;
    if (!value || (std::isfinite(*value) && (*value >= 0 || figure->below0))) continue;
    if (figure->below0 && measurement.diverged()) continue;  // a loss
    return std::string(column.name) + " is " + print_number(*value) +
           (figure->below0 ? " (a column is finite)" : " (a column is finite and not negative)");
  }
  const auto one_of = [&](Field field) { return (measurement.*field).value_or(0); };
  if (one_of(&Measurement::utilization) > 1 + rounding) {
    return "utilization is " + print_number(*measurement.utilization) + " (at most 1)";
  }
  if (!measurement.step_mean) return "";
  const double step = *measurement.step_mean;
  const double parts = one_of(&Measurement::compute) + one_of(&Measurement::delay) +
                       one_of(&Measurement::exposed_comm) + one_of(&Measurement::wait) +
                       one_of(&Measurement::input) + one_of(&Measurement::validation) +
                       one_of(&Measurement::checkpoint);
  // 1e-12 s is the resolution of the clock.
  if (std::fabs(parts - step) <= rounding * step + 1e-12) return "";
  return "the parts of a step are " + print_number(parts) + " s, and step_s_mean is " +
         print_number(step) + " s";
}

void judge_curve(Measurement& repeat, const Target& target) {
  const std::vector<CurvePoint>& curve = repeat.curve;
  if (curve.empty()) return;
  repeat.loss_final = curve.back().loss;
  if (!std::isnan(curve.back().accuracy)) repeat.accuracy_final = curve.back().accuracy;
  double sum = 0;
  const std::size_t half = curve.size() / 2;
  for (std::size_t i = half; i < curve.size(); ++i) sum += curve[i].loss;
  repeat.loss_floor = sum / static_cast<double>(curve.size() - half);
  // The distance of a point from the target; <= 0 where the target is reached.
  const auto missing = [&](const CurvePoint& point) {
    double most = -std::numeric_limits<double>::infinity();
    if (target.loss) most = std::max(most, point.loss - *target.loss);
    if (target.accuracy) most = std::max(most, *target.accuracy - point.accuracy);
    return most;
  };
  if (!target.set()) return;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double now = missing(curve[i]);
    if (!(now <= 0)) continue;
    double share = 1;
    const CurvePoint& before = curve[i == 0 ? 0 : i - 1];
    if (i > 0) share = missing(before) / (missing(before) - now);
    repeat.time_to_target = before.time_s + share * (curve[i].time_s - before.time_s);
    repeat.updates_to_target = static_cast<double>(before.updates) +
                               share * static_cast<double>(curve[i].updates - before.updates);
    return;
  }
}

}  // namespace paceline
