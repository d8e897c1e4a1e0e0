// SPDX-License-Identifier: MIT
/// \file
/// Checks that a point fits into the memory of its GPUs.
#pragma once
#include "experiments/language/diagnostics.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Notes an error at the batch if it needs more memory than the GPU has, with the largest batch
/// that fits, or the reason why none does. Does nothing without described GPUs, or if the point has
/// a published measurement.
void check_memory(const ExperimentPoint& point, Diagnostics& diagnostics);

}  // namespace paceline
