// SPDX-License-Identifier: MIT
/// \file
/// Conversions between the fp32 that roles exchange (flat weights, flat gradients, mini-batches)
/// and a network's working element and layout, with one launch for a whole range of layers.
#pragma once
#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// An fp32 batch [items][channels][pixels], and the tensor that the network reads.
struct InputShape {
  Element element = Element::fp32;
  bool channels_last = false;
  int items = 0;
  int channels = 0;  ///< of the batch
  int padded = 0;    ///< of the tensor; more only with channels last: these are 0
  int pixels = 0;
};

/// Converts the batch to a tensor in the same order, or with channels last. Reads the batch once
/// and in order.
void load_inputs(const InputShape& shape, const float* batch, void* tensor, cudaStream_t stream);

/// One layer's weight matrix: [out][in][spatial] at offset `flat` in the flat layout, and at offset
/// `working` in the working weights (both in elements).
struct PackedMatrix {
  std::int64_t flat = 0;
  std::int64_t working = 0;
  int out = 0;
  int in = 0;       ///< input channels
  int spatial = 1;  ///< height x width of the kernel, or of a fully connected layer's input
  int first_tile = 0;
  int padding = 0;  ///< further input channels in the working weights, which are 0

  std::int64_t elements() const { return std::int64_t{out} * in * spatial; }
  std::int64_t working_elements() const { return std::int64_t{out} * (in + padding) * spatial; }
};

/// Sets `first_tile` of each matrix, so that one launch can process any range of them. Call it
/// once, on the host, before the matrices are copied to the device.
void lay_tiles(std::span<PackedMatrix> matrices);

/// Consecutive matrices of one lay_tiles() call.
struct MatrixRange {
  const PackedMatrix* device = nullptr;  ///< first matrix of the range, in device memory
  std::span<const PackedMatrix> host;    ///< the same range, in host memory
};

/// The number format and layout of a matrix in the working weights.
struct WorkingFormat {
  Element element = Element::fp32;
  bool channels_last = false;  ///< [out][spatial][in], else [out][in][spatial]
};

/// Converts flat weights to working weights. An empty range does nothing.
void pack_weights(const float* flat, void* working, WorkingFormat format, const MatrixRange& range,
                  cudaStream_t stream);
/// Converts working gradients to flat ones, each times `scale`; vectors between the matrices are
/// not changed.
void unpack_gradients(const void* working, float* flat, WorkingFormat format, float scale,
                      const MatrixRange& range, cudaStream_t stream);

}  // namespace paceline::cuda
