// SPDX-License-Identifier: MIT
/// \file
/// Between the fp32 that the roles exchange (flat weights, flat gradients, mini-batches) and the
/// working element and layout of a network: a launch for a whole range of layers.
#pragma once
#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Writes an fp32 batch [items][channels][pixels], which is read once and in order, into a tensor
/// of `element`: the same order, or a pixel's channels side by side where `channels_last`.
void load_inputs(const float* batch, void* tensor, Element element, bool channels_last, int items,
                 int channels, int pixels, cudaStream_t stream);

/// One layer's matrix of weights: [out][in][spatial] at `flat` in the flat layout, and from
/// `working` on among the working weights (both offsets in elements).
struct PackedMatrix {
  std::int64_t flat = 0;
  std::int64_t working = 0;
  int out = 0;
  int in = 0;       ///< input channels
  int spatial = 1;  ///< height x width of the kernel, or of a fully connected layer's input
  int first_tile = 0;

  std::int64_t elements() const { return std::int64_t{out} * in * spatial; }
};

/// Sets `first_tile` of each, so that one launch can serve any range of them; once, on the host,
/// before they are copied to the device.
void lay_tiles(std::span<PackedMatrix> matrices);

/// Neighbouring matrices out of those laid out together.
struct MatrixRange {
  const PackedMatrix* device = nullptr;  ///< the first of the range, in the device's memory
  std::span<const PackedMatrix> host;    ///< the same, in the host's
};

/// How a matrix is kept among the working weights.
struct WorkingFormat {
  Element element = Element::fp32;
  bool channels_last = false;  ///< [out][spatial][in], else [out][in][spatial]
};

/// Working weights from flat ones. An empty range does nothing.
void pack_weights(const float* flat, void* working, WorkingFormat format, const MatrixRange& range,
                  cudaStream_t stream);
/// Flat gradients from working ones, each times `scale`; vectors between matrices stay.
void unpack_gradients(const void* working, float* flat, WorkingFormat format, float scale,
                      const MatrixRange& range, cudaStream_t stream);

}  // namespace paceline::cuda
