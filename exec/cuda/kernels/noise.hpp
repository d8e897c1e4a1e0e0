// SPDX-License-Identifier: MIT
/// \file
/// Non-zero data to time algorithms on: a GPU consumes less power on zeros and therefore runs
/// faster.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Pseudo-random numbers, uniform in [-1, 1), the same on each call.
void fill_with_noise(void* numbers, Element element, std::int64_t count, cudaStream_t stream);

}  // namespace paceline::cuda
