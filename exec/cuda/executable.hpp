// SPDX-License-Identifier: MIT
/// \file
/// Checks before execution whether a point can run on given GPUs.
#pragma once
#include <string>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// "", or the reason why the point cannot run on these GPUs. `in_group`: not all of its workers run
/// on them, so that their number is not checked.
std::string not_executable(const ExperimentPoint& point, const AcceleratorFacts& facts,
                           bool in_group = false);

}  // namespace paceline::cuda
