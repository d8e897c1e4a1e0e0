// SPDX-License-Identifier: MIT
/// \file
/// Converts short vectors between fp32 and another number format.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Rounds `count` numbers from fp32 to `element`.
void narrow(const float* from, void* to, Element element, std::int64_t count, cudaStream_t stream);
/// Converts `count` numbers from `element` to fp32.
void widen(const void* from, Element element, float* to, std::int64_t count, cudaStream_t stream);

}  // namespace paceline::cuda
