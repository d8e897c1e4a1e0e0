// SPDX-License-Identifier: MIT
/// \file
/// The value of a factor where a kernel runs.
#pragma once
#include "exec/cuda/kernels/flat.hpp"

namespace paceline::cuda {

__device__ inline float value_of(const KernelFactor& factor) {
  return factor.later != nullptr ? *factor.later : factor.known;
}

}  // namespace paceline::cuda
