// SPDX-License-Identifier: MIT
/// \file
/// Which GPUs this computer has, and the versions of what drives them.
#pragma once
#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// Asks the driver and the libraries; makes no context on any GPU. Where a GPU cannot be used,
/// there are no GPUs and `problem` says why. Throws nothing but std::bad_alloc.
AcceleratorFacts read_facts();

/// "13.0" of 13000; the runtime's way to write a version of CUDA in a number.
std::string cuda_version(int number);

}  // namespace paceline::cuda
