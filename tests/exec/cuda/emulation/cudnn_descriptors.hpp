// SPDX-License-Identifier: MIT
/// \file
/// What cuDNN's handles and descriptors are in the emulation. Not for tests.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/numbers.hpp"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<std::int64_t, 4> sizes{};    ///< items, channels, height, width
  std::array<std::int64_t, 4> strides{};  ///< in numbers
  std::int64_t at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3];
  }
};

/// Its items are the output's channels.
struct cudnnFilterStruct : cudnnTensorStruct {
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};

struct cudnnConvolutionStruct {
  std::array<std::int64_t, 2> pad{};
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> dilation{1, 1};
  int groups = 1;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace paceline::cuda::emulation {

/// Fills in sizes and packed strides. False where a size is none.
bool set_packed(cudnnTensorStruct& tensor, cudnnTensorFormat_t format, cudnnDataType_t type,
                std::array<int, 4> sizes);
/// What a call on the handle's stream returns for this status of the runtime.
cudnnStatus_t from(cudaError_t status);

}  // namespace paceline::cuda::emulation
