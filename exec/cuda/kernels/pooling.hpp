// SPDX-License-Identifier: MIT
/// \file
/// The maximum or the mean of windows. Backward gathers: each input looks at the windows that it
/// lies in, in a fixed order, so that nothing is added up by chance.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

struct PoolingShape {
  Element element = Element::fp32;
  bool channels_last = false;
  bool maximum = false;  ///< else the mean of what lies inside the input
  int items = 0;
  int channels = 0;
  int in_height = 0, in_width = 0;
  int out_height = 0, out_width = 0;
  int kernel_height = 1, kernel_width = 1;
  int stride = 1;
  int pad_top = 0, pad_left = 0;  ///< what lies below and right follows from the output

  /// Bytes that a maximum leaves for backward: which place of its window each output is from.
  std::int64_t places_bytes() const;
};

void pool_forward(const PoolingShape& shape, const void* input, void* output, void* places,
                  cudaStream_t stream);
void pool_backward(const PoolingShape& shape, const void* gradient, const void* places,
                   void* input_gradient, bool adds, cudaStream_t stream);

}  // namespace paceline::cuda
