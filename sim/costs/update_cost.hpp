// SPDX-License-Identifier: MIT
/// \file
/// The cost of arithmetic over parameters: an optimizer's update and the sum of gradients, on a
/// worker and on a server. Memory bandwidth is the limit, so costs are counted in passes over the
/// parameters.
#pragma once
#include "sim/costs/costs.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

// A sum reads two gradients and writes one; an update reads weights and a gradient and writes
// weights.
inline constexpr double kPasses = 3;

/// Passes of an update, including those that read and write the optimizer's state. LAMB's
/// are as many as the software's operations make, if it has no kernel for LAMB.
double update_passes(const Optimizer& optimizer, const Software& software);

/// Passes over a server's memory for each operation that adds a gradient to an update's sum.
double sum_passes(const Software& software, const Plan& plan);

/// Fills in the costs for the memory bandwidths of a worker (`worker`) and a server (`server`).
void cost_of_updates(Costs& costs, const ExperimentPoint& point, const Plan& plan,
                     BytesPerSecond worker, BytesPerSecond server);

/// Fills in the launches of updates on GPUs, where the software has a kernel for each tensor.
void cost_of_update_kernels(Costs& costs, const ExperimentPoint& point, const Plan& plan);

/// Replaces the computed costs by those measured on a GPU of this computer.
void cost_updates_as_measured(Costs& costs, const ExperimentPoint& point,
                              const NetworkProfile& measured);

}  // namespace paceline
