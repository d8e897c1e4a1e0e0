// SPDX-License-Identifier: MIT
/// \file
/// The shape of a pooling layer's tensors and windows.
#pragma once
#include "exec/cuda/kernels/pooling.hpp"
#include "exec/cuda/layers/tensor.hpp"
#include "models/network.hpp"

namespace paceline::cuda {

/// Of `layer`, which writes `output`. The items have all their rows.
inline PoolingShape pooling_shape(const Layer& layer, const Tensor& output) {
  PoolingShape shape;
  shape.element = output.element;
  shape.channels_last = output.layout == Layout::nhwc;
  shape.maximum = layer.kind == LayerKind::max_pool;
  shape.items = output.batch;
  shape.channels = output.shape.channels;
  shape.in_height = layer.in.height;
  shape.in_width = layer.in.width;
  shape.out_height = output.shape.height;
  shape.out_width = output.shape.width;
  shape.kernel_height = layer.kernel_height;
  shape.kernel_width = layer.kernel_width;
  shape.stride = layer.stride;
  shape.pad_top = layer.pad_top;
  shape.pad_left = layer.pad_left;
  return shape;
}

}  // namespace paceline::cuda
