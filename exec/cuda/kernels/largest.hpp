// SPDX-License-Identifier: MIT
/// \file
/// The largest numbers of a gradient and their places (GradientCodec::Kind::top_k), in the words of
/// training/learning/encoding.hpp, bit for bit.
#pragma once
#include <span>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/flat.hpp"

namespace paceline::cuda {

/// words = the words.size() / 2 largest of numbers + residual; residual = what is left. `scratch`:
/// kEncodingScratch bytes.
void encode_largest(std::span<float> words, std::span<const float> numbers,
                    std::span<float> residual, void* scratch, cudaStream_t stream);
/// into += factor x the numbers; `fresh`: in place of the old contents.
void decode_largest(std::span<float> into, std::span<const float> words, const KernelFactor& factor,
                    bool fresh, cudaStream_t stream);

}  // namespace paceline::cuda
