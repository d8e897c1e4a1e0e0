// SPDX-License-Identifier: MIT
/// \file
/// Finds the published row that sets the cost of a point's arithmetic: a row of the experiment's
/// own table, else of the tables that ship with the program, extrapolated if its batch differs.
#pragma once
#include <optional>
#include <string>

#include "models/network.hpp"
#include "sim/costs/layer_kernels.hpp"
#include "topology/gpu.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/results/published/cost_row.hpp"

namespace paceline {

/// A worker's step of the point, as its software computes it.
StepOnGpu step_on_gpu(const ExperimentPoint& point);

/// The row that sets the cost of the point's arithmetic if it was not measured on this computer;
/// empty if the roofline sets it. A row of the shipped tables is taken to be of a GPU at the clock
/// of its model's file; for another clock it is carried on by the ratio of estimates.
std::optional<CostRow> calibrating_row(const ExperimentPoint& point);

/// The point for which a row is sought. `model` is the preset's name, `software` the experiment's.
struct RowQuery {
  std::string model;
  const Network* network = nullptr;
  StepOnGpu step;
  std::string software;
  const GpuSpec* gpu = nullptr;
};

/// The row of the shipped tables for `query`. Rows of the experiment's software come first, then
/// those of exactly this batch, then those of the nearest batch, then the fastest. At a batch that
/// was not measured, the nearest row is extrapolated along t = a + b x batch, fitted to the batches
/// measured with the same software, or along the roofline where only one batch was measured.
std::optional<CostRow> shipped_cost_row(const RowQuery& query);

/// t = a + b x batch, by least squares of the relative errors; a >= 0.
struct BatchLine {
  double a = 0, b = 0;
  double at(double batch) const { return a + b * batch; }
};
struct BatchTime {
  double batch, seconds;
};
BatchLine fit_batch_line(const std::vector<BatchTime>& times);

}  // namespace paceline
