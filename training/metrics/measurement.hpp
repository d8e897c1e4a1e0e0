// SPDX-License-Identifier: MIT
/// \file
/// What one source (theory, prediction, measurement, publication) says of a point: the columns of
/// results.csv. Blank where a source has nothing to say.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/units.hpp"

namespace paceline {

/// One mini-batch of one worker, as steps.csv has it. Times in seconds since the run began.
struct StepRow {
  int worker = 0;
  std::int64_t step = 0;
  double began_s = 0, delay_s = 0, compute_s = 0, wait_s = 0, end_s = 0;
  bool accepted = false;
};

/// A gradient taken or cancelled, in the order in which it happened.
struct GradientEvent {
  int worker = 0;
  std::int64_t step = 0;
  std::int64_t computed = 0;  ///< version of its weights
  std::int64_t applied = -1;  ///< version it was applied to; -1: cancelled
  friend bool operator==(const GradientEvent&, const GradientEvent&) = default;
};

/// All times in seconds; definitions: design of results.csv in docs/model.md.
struct Measurement {
  std::string status = "ok";  ///< "bound" for a theory that bounds; else the reason of a failure
  std::optional<double> updates;
  std::optional<double> iteration_mean, iteration_median, iteration_p95;
  std::optional<double> step_mean, compute, delay, exposed_comm, wait, input, wasted;
  std::optional<double> throughput, throughput_stderr, throughput_jitter;  ///< items/s
  std::optional<double> staleness_mean, staleness_p95;
  std::optional<double> utilization;
  std::optional<double> memory_bytes_peak;
  std::optional<double> loss_final;
  std::vector<StepRow> steps;  ///< kept only when asked for
};

/// Joins the repeats of a point: means, the standard error of the throughput over repeats, and
/// quantiles over all iterations.
Measurement join_repeats(const std::vector<Measurement>& repeats,
                         const std::vector<std::vector<double>>& iterations,
                         double items_per_update);

/// Linear-interpolated quantile of a sample, 0 <= q <= 1. Requires that there is a value.
double quantile_of(std::vector<double> values, double q);
/// 1.4826 x median absolute deviation: a deviation that outliers do not move.
double robust_deviation(const std::vector<double>& values);

}  // namespace paceline
