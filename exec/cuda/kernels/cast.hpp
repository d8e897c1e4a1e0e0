// SPDX-License-Identifier: MIT
/// \file
/// Short vectors in another number format.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// `count` numbers of fp32, rounded to `element`.
void narrow(const float* from, void* to, Element element, std::int64_t count, cudaStream_t stream);
/// The way back.
void widen(const void* from, Element element, float* to, std::int64_t count, cudaStream_t stream);

}  // namespace paceline::cuda
