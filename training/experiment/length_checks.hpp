// SPDX-License-Identifier: MIT
/// \file
/// The checks of sequences of unequal length across an experiment's keys.
#pragma once
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Notes why the point cannot have its `lengths`, or its data set without them.
void check_lengths(const ExperimentPoint& point, Diagnostics& diagnostics);

}  // namespace paceline
