// SPDX-License-Identifier: MIT
/// \file
/// Updates by layer-wise optimizers (training/learning/optimizers/layerwise.hpp): three kernels for
/// each layer, which measure, find the layer's ratio, and apply it.
#pragma once
#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/flat.hpp"

namespace paceline::cuda {

/// Memory that the kernels of one stream use, on the device.
struct LayerMemory {
  static constexpr std::size_t kBlocks = 1024;
  double partials[2 * kBlocks];  ///< sums of squares of a block's weights and measures
  float ratio;
};

/// Applies a step of a layer-wise optimizer to `scale` x the gradient, layer by layer. The norms
/// are summed in double precision in an order that depends only on a layer's size: equal to the
/// host's within rounding.
template <class Step>
void update_layers(const Step& step, const UpdateArrays& arrays, const KernelFactor& scale,
                   LayerMemory* memory, cudaStream_t stream);

}  // namespace paceline::cuda
