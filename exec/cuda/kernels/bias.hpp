// SPDX-License-Identifier: MIT
/// \file
/// A bias for each channel, and a ReLU, behind a layer that a library computes: one pass over the
/// tensor each way.
#pragma once
#include <cstddef>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/channel_grid.hpp"

namespace paceline::cuda {

/// y = relu(y + bias) in place; either may be left out (`bias` null: none). A grid as
/// lay_channels() gives it for y.
void add_bias(const ChannelGrid& grid, Element element, void* y, const float* bias, bool relu,
              cudaStream_t stream);

struct BiasBackward {
  void* gradient = nullptr;        ///< of the output; becomes that of what the bias was added to
  const void* output = nullptr;    ///< behind the ReLU; null: no ReLU within
  float* bias_gradient = nullptr;  ///< overwritten with the sums over pixels; null: no bias
  float* scratch = nullptr;        ///< bias_scratch_bytes(), where there is a bias
};
/// The sums are added up in an order that depends on the shape and the kind of device alone.
void bias_backward(const ChannelGrid& grid, Element element, const BiasBackward& pass,
                   cudaStream_t stream);
std::size_t bias_scratch_bytes(const ChannelGrid& grid);

}  // namespace paceline::cuda
