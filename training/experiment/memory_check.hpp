// SPDX-License-Identifier: MIT
/// \file
/// Whether a point fits into the memory of its GPUs.
#pragma once
#include "experiments/language/diagnostics.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Notes at the batch what it needs, and the largest that fits or what leaves no room for any.
void check_memory(const ExperimentPoint& point, Diagnostics& diagnostics);

}  // namespace paceline
