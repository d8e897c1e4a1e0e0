// SPDX-License-Identifier: MIT
/// \file
/// The key `deterministic`: of several workers, a result must not depend on their order in time.
#pragma once
#include "experiments/language/diagnostics.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

void check_deterministic(const ExperimentPoint& point, Diagnostics& diagnostics);

}  // namespace paceline
