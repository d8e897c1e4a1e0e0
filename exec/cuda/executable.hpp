// SPDX-License-Identifier: MIT
/// \file
/// Checks before execution whether a point can run on given GPUs.
#pragma once
#include <string>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// "", or the reason why the point cannot run on these GPUs.
std::string not_executable(const ExperimentPoint& point, const AcceleratorFacts& facts);

}  // namespace paceline::cuda
