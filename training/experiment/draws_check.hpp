// SPDX-License-Identifier: MIT
/// \file
/// The key `draws`: with `extremes` an update may depend on nothing but the last of its workers.
#pragma once
#include <string>

#include "experiments/language/diagnostics.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

void check_draws(const ExperimentPoint& point, Diagnostics& diagnostics);

/// Notes at the key `draws` of a point that `extremes` cannot hold.
void refuse_extremes(const ExperimentPoint& point, const std::string& why,
                     Diagnostics& diagnostics);

}  // namespace paceline
