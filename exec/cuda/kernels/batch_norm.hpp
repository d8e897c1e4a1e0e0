// SPDX-License-Identifier: MIT
/// \file
/// Batch normalisation over a mini-batch, with what follows it in a residual block: an add and a
/// ReLU. Memory is what it costs, so each tensor is read as rarely as can be: forward reads the
/// input twice and writes the output once; backward reads the input and the output's gradient twice
/// and writes each input's gradient once.
///
/// Sums are in a fixed order: the same numbers give the same bits on the same device.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/channel_grid.hpp"

namespace paceline::cuda {

/// What both passes know. All tensors have the grid's shape and `element`.
struct BatchNormShape {
  Element element = Element::fp32;
  ChannelGrid grid;
  bool relu = false;

  std::int64_t elements() const { return std::int64_t{grid.items} * grid.channels * grid.pixels; }
  /// Bytes that forward leaves for backward where it adds and rectifies: which outputs are not 0.
  std::int64_t mask_bytes() const { return elements() / grid.pack; }
  std::size_t scratch_bytes() const;
};

/// Per channel, [channels] each, in fp32.
struct BatchNormStatistics {
  float* mean = nullptr;
  float* deviation = nullptr;  ///< its inverse: 1 / sqrt(variance + epsilon)
  /// Written and read by backward: means over the mini-batch of g, and of g x normalised input x
  /// inverse deviation, where g is the gradient that comes through the ReLU.
  float* gradient_mean = nullptr;
  float* gradient_slope = nullptr;
};

struct BatchNormForward {
  const void* input = nullptr;
  const void* added = nullptr;  ///< or null
  void* output = nullptr;
  std::uint8_t* mask = nullptr;  ///< needed with `added` and a ReLU
  const float* scale = nullptr;  ///< [channels]; null: 1
  const float* shift = nullptr;  ///< [channels]
};
void batch_norm_forward(const BatchNormShape& shape, const BatchNormForward& pass,
                        const BatchNormStatistics& statistics, void* scratch, cudaStream_t stream);

struct BatchNormBackward {
  const void* input = nullptr;
  const void* gradient = nullptr;      ///< of the output
  const std::uint8_t* mask = nullptr;  ///< null: without an add the ReLU's mask is computed again
  const float* scale = nullptr;
  const float* shift = nullptr;
  float* scale_gradient = nullptr;  ///< null without a scale
  float* shift_gradient = nullptr;
  void* input_gradient = nullptr;  ///< null: not wanted
  bool input_adds = false;         ///< to what is there
  void* added_gradient = nullptr;  ///< null: not wanted; may be `gradient` itself
  bool added_adds = false;
};
void batch_norm_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                         const BatchNormStatistics& statistics, void* scratch, cudaStream_t stream);

}  // namespace paceline::cuda
