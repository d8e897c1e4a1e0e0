// SPDX-License-Identifier: MIT
/// \file
/// Variation of a worker's arithmetic from step to step: a factor of mean 1, drawn for a worker and
/// step, so that all kernels of a mini-batch are slow or fast together.
#pragma once
#include "sim/costs/costs.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

/// A normal factor of mean 1 and deviation `costs.variation`, kept within 4 deviations (and above
/// 0).
double step_variation(const Costs& costs, WorkId work);

}  // namespace paceline
