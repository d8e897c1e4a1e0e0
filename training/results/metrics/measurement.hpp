// SPDX-License-Identifier: MIT
/// \file
/// The figures that one source (theory, prediction, measurement, publication) gives for a point;
/// training/results/columns.hpp maps them to the columns of results.csv. A figure that the source
/// does not give is empty.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/units.hpp"

namespace paceline {

template <class T>
class Description;

/// One mini-batch of one worker, a row of steps.csv. Times in seconds since the run began.
struct StepRow {
  int worker = 0;
  std::int64_t step = 0;
  double began_s = 0, delay_s = 0, compute_s = 0, wait_s = 0, input_s = 0, validation_s = 0;
  double end_s = 0;
  bool accepted = false;
};

/// A gradient that was accepted or cancelled, in the order of these events.
struct GradientEvent {
  int worker = 0;
  std::int64_t step = 0;
  std::int64_t computed = 0;  ///< version of its weights
  std::int64_t applied = -1;  ///< version it was applied to; -1: cancelled
  friend bool operator==(const GradientEvent&, const GradientEvent&) = default;
};

/// The held-out loss after a number of updates of a repeat.
struct CurvePoint {
  int repeat = 0;
  std::int64_t updates = 0;
  double time_s = 0;    ///< on the source's own clock, since the run began
  double items = 0;     ///< of the gradients applied
  double loss = 0;      ///< above the optimum where that is known
  double accuracy = 0;  ///< NaN for the loss of a regression
  static void describe(Description<CurvePoint>& d);
};

/// The distribution of the time from the start of a mini-batch to the start of the same worker's
/// next.
struct StepTimes {
  static constexpr int kQuantiles = 401;  ///< shares 0, 0.25 %, ..., 100 %
  double steps = 0;
  double mean_s = 0;
  double cv = 0;
  std::vector<double> quantiles;  ///< seconds; empty where there are no steps
  static void describe(Description<StepTimes>& d);
};

/// All times in seconds; docs/model.md defines the figures. A new figure needs a row in
/// training/results/columns.cpp.
struct Measurement {
  std::string status = "ok";  ///< "bound" if theory gives a bound only; else the failure's reason
  std::string gpus;       ///< GPUs of the measurement and their libraries' versions; "": the host
  std::string split;      ///< how workers shared a card, and why not as requested; "": not shared
  std::string clocks;     ///< of the GPUs during the measurement; "": not known
  std::string simulated;  ///< events, repeated rounds, or lanes; "": not simulated
  std::optional<double> other_cores;  ///< used by other programs meanwhile; empty: not known
  std::optional<double> updates;
  std::optional<double> iteration_mean, iteration_median, iteration_p95;
  std::optional<double> step_mean, compute, delay, exposed_comm, wait, input, wasted;
  std::optional<double> validation, checkpoint;                            ///< empty: no passes
  std::optional<double> throughput, throughput_stderr, throughput_jitter;  ///< items/s
  std::optional<double> bus_bandwidth;  ///< bytes/s, of a collective alone
  std::optional<double> staleness_mean, staleness_p95, staleness_max;
  std::optional<double> utilization;
  std::optional<double> server_busy;  ///< of the busiest server: share of the window in arithmetic
  std::optional<double> memory_bytes_peak;
  std::optional<double> padding, length_mean;        ///< of sequences of unequal length
  std::optional<double> loss_final, accuracy_final;  ///< held-out
  std::optional<double> optimal_loss;                ///< the least expected loss, where it is known
  std::optional<double> loss_floor;                  ///< mean of the last half of the evaluations
  std::optional<double> time_to_target, time_to_target_stderr, updates_to_target;
  std::optional<double> total;     ///< from the run's begin to its last update
  std::optional<double> failures;  ///< deaths of workers
  std::vector<StepRow> steps;      ///< kept only on request
  std::vector<CurvePoint> curve;   ///< of all repeats
  std::vector<double> staleness;   ///< gradients by staleness, all repeats
  StepTimes step_times;

  /// Whether training diverged, so that the figures cover only the time before.
  bool diverged() const { return status.starts_with("diverged"); }

  static void describe(Description<Measurement>& d);
};

/// The samples of one repeat, in addition to its measurement.
struct Samples {
  std::vector<double> iterations;  ///< seconds between two updates
  std::vector<float> steps;        ///< seconds between two mini-batches of a worker
};

/// The first identity of the columns that a measurement violates, in words; "" where all hold: the
/// parts of a step add up to its time, no figure is negative or infinite, and no worker computes
/// for more than its time. `rounding`: the share of a step by which its parts may differ from it.
std::string why_impossible(const Measurement& measurement, double rounding);

/// The goal of training.
struct Target {
  std::optional<double> loss;
  std::optional<double> accuracy;  ///< share
  bool set() const { return loss || accuracy; }
};

/// Joins the repeats of a point: means, standard errors over repeats, and quantiles over all
/// iterations.
Measurement join_repeats(const std::vector<Measurement>& repeats,
                         const std::vector<Samples>& samples, double items_per_update);

/// Derives figures from a repeat's curve: final loss, floor, time and updates to the target. The
/// loss is taken to be linear in time between two evaluations.
void judge_curve(Measurement& repeat, const Target& target);

/// Linearly interpolated quantile of a sample, 0 <= q <= 1. Requires a non-empty sample.
double quantile_of(std::vector<double> values, double q);
/// 1.4826 x the median absolute deviation: an estimate of the deviation that is robust to outliers.
double robust_deviation(const std::vector<double>& values);

}  // namespace paceline
