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

/// The held-out loss after so many updates of a repeat.
struct CurvePoint {
  int repeat = 0;
  std::int64_t updates = 0;
  double time_s = 0;    ///< on the source's own clock, since the run began
  double items = 0;     ///< whose gradients were applied
  double loss = 0;      ///< above the optimum where that is known
  double accuracy = 0;  ///< NaN where the loss is no classifier's
};

/// The distribution of the time from one mini-batch's begin to the next of the same worker.
struct StepTimes {
  static constexpr int kQuantiles = 401;  ///< shares 0, 0.25 %, ..., 100 %
  double steps = 0;
  double mean_s = 0;
  double cv = 0;
  std::vector<double> quantiles;  ///< seconds; empty where there are no steps
};

/// All times in seconds; definitions: design of results.csv in docs/model.md.
struct Measurement {
  std::string status = "ok";  ///< "bound" for a theory that bounds; else the reason of a failure
  std::string gpus;           ///< that measured it, and their libraries' versions; "": the host
  std::string split;   ///< how workers shared one card, and why not as asked; "": they did not
  std::string clocks;  ///< of the GPUs while it was measured; "": not known
  std::optional<double> updates;
  std::optional<double> iteration_mean, iteration_median, iteration_p95;
  std::optional<double> step_mean, compute, delay, exposed_comm, wait, input, wasted;
  std::optional<double> throughput, throughput_stderr, throughput_jitter;  ///< items/s
  std::optional<double> staleness_mean, staleness_p95, staleness_max;
  std::optional<double> utilization;
  std::optional<double> server_busy;  ///< of the busiest server: share of the window in arithmetic
  std::optional<double> memory_bytes_peak;
  std::optional<double> loss_final, accuracy_final;  ///< held-out
  std::optional<double> optimal_loss;                ///< the least expected loss, where it is known
  std::optional<double> loss_floor;                  ///< mean of the last half of the evaluations
  std::optional<double> time_to_target, time_to_target_stderr, updates_to_target;
  std::optional<double> total;     ///< from the run's begin to its last update
  std::optional<double> failures;  ///< workers that died
  std::vector<StepRow> steps;      ///< kept only when asked for
  std::vector<CurvePoint> curve;   ///< of all repeats
  std::vector<double> staleness;   ///< gradients by staleness, all repeats
  StepTimes step_times;

  /// Whether it holds figures up to where training diverged.
  bool diverged() const { return status.starts_with("diverged"); }
};

/// What one repeat gave, beside its measurement.
struct Samples {
  std::vector<double> iterations;  ///< seconds between two updates
  std::vector<float> steps;        ///< seconds between two mini-batches of a worker
};

/// Which identity of the columns a finished measurement breaks, in words; "" where it keeps all:
/// the parts of a step are its time, nothing is negative or infinite, and no worker computes for
/// more than its time. `rounding`: the share of a step that its parts may differ by.
std::string why_impossible(const Measurement& measurement, double rounding);

/// What training is to reach.
struct Target {
  std::optional<double> loss;
  std::optional<double> accuracy;  ///< share
  bool set() const { return loss || accuracy; }
};

/// Joins the repeats of a point: means, standard errors over repeats, and quantiles over all
/// iterations.
Measurement join_repeats(const std::vector<Measurement>& repeats,
                         const std::vector<Samples>& samples, double items_per_update);

/// Fills in what a repeat's curve says: final loss, floor, time and updates to the target. Between
/// two evaluations the loss is taken to change evenly in time.
void judge_curve(Measurement& repeat, const Target& target);

/// Linear-interpolated quantile of a sample, 0 <= q <= 1. Requires that there is a value.
double quantile_of(std::vector<double> values, double q);
/// 1.4826 x median absolute deviation: a deviation that outliers do not move.
double robust_deviation(const std::vector<double>& values);

}  // namespace paceline
