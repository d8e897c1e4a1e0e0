// SPDX-License-Identifier: MIT
/// \file
/// Whether the machine that a point names is this computer, by its GPUs.
#pragma once
#include <string>

#include "exec/plugin/accelerator.hpp"

namespace paceline {

/// "" or why the point's machine is another computer. `this` never is.
std::string not_this_computer(const ExperimentPoint& point, const AcceleratorFacts& facts);

/// What measured on these GPUs, in a line: "1 x NVIDIA H200, CUDA 13.0
/// on a driver of 13.0, cuDNN 9.19.0, NCCL 2.28.9".
std::string name_of(const AcceleratorFacts& facts);

}  // namespace paceline
