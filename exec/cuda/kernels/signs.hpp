// SPDX-License-Identifier: MIT
/// \file
/// Gradients as signs and two means (GradientCodec::Kind::one_bit), in the words of
/// training/learning/encoding.hpp. The means are sums in another order than the host's.
#pragma once
#include <span>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/flat.hpp"

namespace paceline::cuda {

/// words = numbers + residual; residual = the error of that. `scratch`: kEncodingScratch bytes.
void encode_signs(std::span<float> words, std::span<const float> numbers, std::span<float> residual,
                  void* scratch, cudaStream_t stream);
/// into += factor x the numbers; `fresh`: in place of the old contents.
void decode_signs(std::span<float> into, std::span<const float> words, const KernelFactor& factor,
                  bool fresh, cudaStream_t stream);

}  // namespace paceline::cuda
