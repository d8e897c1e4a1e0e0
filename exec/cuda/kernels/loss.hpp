// SPDX-License-Identifier: MIT
/// \file
/// The losses of a network: the mean over a mini-batch and its gradient. The order of sums is
/// fixed.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"
#include "exec/cuda/kernels/loss_scale.hpp"

namespace paceline::cuda {

/// One row of `classes` numbers per item.
struct LossShape {
  Element element = Element::fp32;
  std::int64_t rows = 0;
  int classes = 0;

  std::int64_t tensor_bytes() const { return rows * classes * bytes_of(element); }
};

/// The destination of the mean: losses[step mod slots].
struct LossSlot {
  float* losses = nullptr;
  int slots = 1;
  const std::uint32_t* step = nullptr;  ///< the low word, in device memory
};

/// Bytes of the values that forward writes for backward, and of its partial sums.
constexpr std::int64_t cross_entropy_bytes(std::int64_t rows) {
  return 3 * static_cast<std::int64_t>(sizeof(float)) * rows;
}
/// Softmax and cross-entropy against `targets`, one class per row. A target outside the classes
/// makes the loss NaN.
void cross_entropy_forward(const LossShape& shape, const void* logits, const float* targets,
                           float* memory, const LossSlot& slot, cudaStream_t stream);
/// Writes (probability - [target]) x `factor` x the scale, if that is not null; `adds`: adds it.
void cross_entropy_backward(const LossShape& shape, const void* logits, const float* targets,
                            const float* memory, float factor, const LossScale* scale,
                            void* gradient, bool adds, cudaStream_t stream);

/// Half the squared distance between `values` (one number per row) and `targets`.
void squared_error_forward(const LossShape& shape, const void* values, const float* targets,
                           const LossSlot& slot, cudaStream_t stream);
/// Writes (value - target) x `factor` x the scale; `adds`: adds it.
void squared_error_backward(const LossShape& shape, const void* values, const float* targets,
                            float factor, const LossScale* scale, void* gradient, bool adds,
                            cudaStream_t stream);

}  // namespace paceline::cuda
