// SPDX-License-Identifier: MIT
/// \file
/// Checks across the keys about what training reads and writes: input, validation, checkpoints.
#pragma once
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Adds an error to `diagnostics` for each key that does not fit the others.
void check_items(const ExperimentPoint& point, Diagnostics& diagnostics);

}  // namespace paceline
