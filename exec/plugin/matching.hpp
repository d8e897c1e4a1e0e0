// SPDX-License-Identifier: MIT
/// \file
/// Compares the machine of a point with this computer by their GPUs.
#pragma once
#include <string>

#include "exec/plugin/accelerator.hpp"

namespace paceline {

/// The reason why the point's machine is another computer; "" if it is this one. `this` always is.
std::string not_this_computer(const ExperimentPoint& point, const AcceleratorFacts& facts);

/// The GPUs and their software in one line: "1 x NVIDIA H200, CUDA 13.0 on a driver of 13.0, cuDNN
/// 9.19.0, NCCL 2.28.9".
std::string name_of(const AcceleratorFacts& facts);

}  // namespace paceline
