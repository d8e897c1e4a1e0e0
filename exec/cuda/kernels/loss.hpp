// SPDX-License-Identifier: MIT
/// \file
/// The losses at the end of a network: their mean over a mini-batch and its gradient.
/// Sums are in a fixed order.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// What a loss is computed of: `classes` numbers a row, a row an item.
struct LossShape {
  Element element = Element::fp32;
  std::int64_t rows = 0;
  int classes = 0;
};

/// Where the mean goes: into losses[step mod slots].
struct LossSlot {
  float* losses = nullptr;
  int slots = 1;
  const std::uint32_t* step = nullptr;  ///< the low word, in device memory
};

/// Bytes of what forward leaves for backward, and of what it sums up.
constexpr std::int64_t cross_entropy_bytes(std::int64_t rows) {
  return 3 * static_cast<std::int64_t>(sizeof(float)) * rows;
}
/// Softmax and cross-entropy against `targets`, a class a row. A target that is no class makes the
/// loss NaN.
void cross_entropy_forward(const LossShape& shape, const void* logits, const float* targets,
                           float* memory, const LossSlot& slot, cudaStream_t stream);
/// Writes (probability - [target]) x `factor`, or adds it.
void cross_entropy_backward(const LossShape& shape, const void* logits, const float* targets,
                            const float* memory, float factor, void* gradient, bool adds,
                            cudaStream_t stream);

/// Half the squared distance of `values` (a number a row) from `targets`.
void squared_error_forward(const LossShape& shape, const void* values, const float* targets,
                           const LossSlot& slot, cudaStream_t stream);
/// Writes (value - target) x `factor`, or adds it.
void squared_error_backward(const LossShape& shape, const void* values, const float* targets,
                            float factor, void* gradient, bool adds, cudaStream_t stream);

}  // namespace paceline::cuda
