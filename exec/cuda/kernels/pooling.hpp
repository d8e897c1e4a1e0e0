// SPDX-License-Identifier: MIT
/// \file
/// Maximum and average pooling. Backward gathers: each input sums over the windows that contain it
/// in a fixed order, without atomics.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

struct PoolingShape {
  Element element = Element::fp32;
  bool channels_last = false;
  bool maximum = false;  ///< else the mean over the part of the window inside the input
  int items = 0;
  int channels = 0;
  int in_height = 0, in_width = 0;
  int out_height = 0, out_width = 0;
  int kernel_height = 1, kernel_width = 1;
  int stride = 1;
  int pad_top = 0, pad_left = 0;  ///< padding below and on the right follows from the output size
  const int* own_rows = nullptr;  ///< by item, of a mean: rows below are left out; null: none are

  /// Bytes that forward with a maximum writes for backward: the position of each output in its
  /// window.
  std::int64_t places_bytes() const;
  std::int64_t in_bytes() const {
    return std::int64_t{items} * channels * in_height * in_width * bytes_of(element);
  }
  std::int64_t out_bytes() const {
    return std::int64_t{items} * channels * out_height * out_width * bytes_of(element);
  }
};

void pool_forward(const PoolingShape& shape, const void* input, void* output, void* places,
                  cudaStream_t stream);
void pool_backward(const PoolingShape& shape, const void* gradient, const void* places,
                   void* input_gradient, bool adds, cudaStream_t stream);

}  // namespace paceline::cuda
