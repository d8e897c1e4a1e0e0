// SPDX-License-Identifier: MIT
/// \file
/// Whether a point can run on given GPUs, by what is known before it is tried.
#pragma once
#include <string>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// "" or why the point cannot run on these GPUs.
std::string not_executable(const ExperimentPoint& point, const AcceleratorFacts& facts);

}  // namespace paceline::cuda
