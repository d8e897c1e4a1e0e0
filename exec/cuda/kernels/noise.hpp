// SPDX-License-Identifier: MIT
/// \file
/// Something other than zeros to time algorithms on: a chip runs zeros at less power and therefore
/// faster.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Numbers that look drawn evenly from [-1, 1), the same each time.
void fill_with_noise(void* numbers, Element element, std::int64_t count, cudaStream_t stream);

}  // namespace paceline::cuda
