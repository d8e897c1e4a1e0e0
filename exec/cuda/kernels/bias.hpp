// SPDX-License-Identifier: MIT
/// \file
/// A bias per channel and a ReLU after a layer that a library computes: one kernel over the tensor
/// in each direction.
#pragma once
#include <cstddef>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/channel_grid.hpp"

namespace paceline::cuda {

/// y = relu(y + bias) in place; either may be left out (null `bias`: none). `grid` is that of
/// lay_channels() for y.
void add_bias(const ChannelGrid& grid, Element element, void* y, const float* bias, bool relu,
              cudaStream_t stream);

struct BiasBackward {
  void* gradient = nullptr;  ///< of the output; becomes the gradient before the bias and the ReLU
  const void* output = nullptr;    ///< output of the ReLU; null: no ReLU
  float* bias_gradient = nullptr;  ///< overwritten with the sums over pixels; null: no bias
  float* scratch = nullptr;        ///< bias_scratch_bytes(), required with a bias
};
/// The order of the sums depends only on the shape and the kind of device.
void bias_backward(const ChannelGrid& grid, Element element, const BiasBackward& pass,
                   cudaStream_t stream);
std::size_t bias_scratch_bytes(const ChannelGrid& grid);

}  // namespace paceline::cuda
