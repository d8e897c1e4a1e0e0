// SPDX-License-Identifier: MIT
/// \file
/// Adds a tensor to another of the same size.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// sum[i] += addend[i] for i < count.
void accumulate(const void* addend, void* sum, Element element, std::int64_t count,
                cudaStream_t stream);

}  // namespace paceline::cuda
