// SPDX-License-Identifier: MIT
/// \file
/// The rows of a table's gradient that are not zero (GradientCodec::Kind::rows), in the words of
/// training/learning/encoding.hpp, but in any order.
#pragma once
#include <span>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/flat.hpp"
#include "training/runtime/gradient_codec.hpp"

namespace paceline::cuda {

void encode_rows(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
                 cudaStream_t stream);
/// into += factor x the numbers; `fresh`: in place of the old contents.
void decode_rows(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
                 const KernelFactor& factor, bool fresh, cudaStream_t stream);

}  // namespace paceline::cuda
