// SPDX-License-Identifier: MIT
/// \file
/// The key `draws`: with `extremes` an update may depend on nothing but the last of its workers.
#pragma once
#include <string>

#include "experiments/language/diagnostics.hpp"
#include "training/experiment/experiment_file.hpp"

namespace paceline {

void check_draws(const ExperimentPoint& point, Diagnostics& diagnostics);

/// The message that `extremes` cannot hold, and why.
std::string refusal_of_extremes(const std::string& why);

/// Notes it at the key `draws` of a point.
void refuse_extremes(const ExperimentPoint& point, const std::string& why,
                     Diagnostics& diagnostics);

}  // namespace paceline
