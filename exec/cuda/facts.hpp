// SPDX-License-Identifier: MIT
/// \file
/// The GPUs of this computer, and the versions of their driver and libraries.
#pragma once
#include <cstddef>
#include <string>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// Queries the driver and the libraries without creating a context on any GPU. If a GPU cannot be
/// used, the list of GPUs is empty and `problem` contains the reason. Throws only std::bad_alloc.
AcceleratorFacts read_facts();

/// "13.0" for 13000: CUDA's number format of versions.
std::string cuda_version(int number);
/// "9.19.0" for 91900: the number format of cuDNN 9 and NCCL 2.
std::string library_version(std::size_t number);

}  // namespace paceline::cuda
