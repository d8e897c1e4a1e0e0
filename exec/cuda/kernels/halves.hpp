// SPDX-License-Identifier: MIT
/// \file
/// Gradients as halves, two to a 4-byte word (GradientCodec::Kind::fp16). Every number is rounded
/// to the nearest half, as on the host.
#pragma once
#include <span>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/flat.hpp"

namespace paceline::cuda {

/// words = the numbers as halves; of an odd number of them the last half is 0.
void encode_halves(std::span<float> words, std::span<const float> numbers, cudaStream_t stream);
/// into += factor x the numbers; `fresh`: in place of the old contents.
void decode_halves(std::span<float> into, std::span<const float> words, const KernelFactor& factor,
                   bool fresh, cudaStream_t stream);
/// into += from, half by half.
void add_halves(std::span<float> into, std::span<const float> from, cudaStream_t stream);

}  // namespace paceline::cuda
