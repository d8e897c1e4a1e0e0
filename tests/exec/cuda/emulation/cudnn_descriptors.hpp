// SPDX-License-Identifier: MIT
/// \file
/// The handles and descriptors of the emulated cuDNN. Not for tests.
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
  std::int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  /// Requires a type that is emulated.
  std::int64_t bytes() const {
    using paceline::cuda::emulation::bytes_of;
    using paceline::cuda::emulation::number_of;
    return count() * static_cast<std::int64_t>(bytes_of(*number_of(type)));
  }
};

/// sizes[0] is the number of output channels.
struct cudnnFilterStruct : cudnnTensorStruct {
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};

struct cudnnConvolutionStruct {
  std::array<std::int64_t, 2> pad{};        ///< before the image
  std::array<std::int64_t, 2> pad_after{};  ///< the same as `pad` in the legacy interface
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> dilation{1, 1};
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace paceline::cuda::emulation {

/// Sets sizes and packed strides. False if a size is not positive.
bool set_packed(cudnnTensorStruct& tensor, cudnnTensorFormat_t format, cudnnDataType_t type,
                std::array<int, 4> sizes);
/// The cuDNN status that corresponds to a status of the runtime.
cudnnStatus_t from(cudaError_t status);

}  // namespace paceline::cuda::emulation
