// SPDX-License-Identifier: MIT
/// \file
/// Batch normalisation over a mini-batch, with the add and the ReLU that follow it in a residual
/// block. The kernels are bound by memory bandwidth, so they read each tensor as rarely as
/// possible: forward reads the input twice (once if its sums are given) and writes the output once;
/// backward reads the input and the output's gradient twice and writes each input's gradient once.
///
/// The order of sums is fixed: results are bitwise reproducible on the same device.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/channel_grid.hpp"
#include "exec/cuda/kernels/kept_pixels.hpp"
#include "exec/cuda/kernels/pooling.hpp"

namespace paceline::cuda {

/// Common to both passes. All tensors have `element` and the grid's shape, but that the output and
/// its gradient may have a part of the pixels.
struct BatchNormShape {
  Element element = Element::fp32;
  ChannelGrid grid;
  bool relu = false;
  KeptPixels kept = {};       ///< of the output
  ChannelGrid output = grid;  ///< of the kept pixels

  /// With an output of the kept pixels alone. Their images are the grid's.
  void keep(const KeptPixels& pixels);
  /// With an output of images of another number of pixels.
  void write_other(int pixels);
  /// Size of the mask of positive outputs, which forward writes for backward with an add and a
  /// ReLU.
  std::int64_t mask_bytes() const { return (kept ? output : grid).packs(); }
  std::size_t scratch_bytes() const;
  /// Bytes of BatchNormScratch::arrivals.
  std::size_t arrivals_bytes() const;
  /// Bytes of an input, of the output, and of the lines of an input that have the kept pixels.
  std::int64_t tensor_bytes() const { return grid.elements() * bytes_of(element); }
  std::int64_t output_bytes() const { return output.elements() * bytes_of(element); }
  std::int64_t kept_bytes() const;
  /// Of `fields` fp32 numbers for each channel.
  std::int64_t vectors_bytes(int fields) const { return std::int64_t{fields} * 4 * grid.channels; }
};

/// Added to the variance; as on the host.
inline constexpr float kBatchNormEpsilon = 1e-5F;

/// [channels] each, in fp32.
struct BatchNormStatistics {
  float* mean = nullptr;
  float* deviation = nullptr;  ///< inverse standard deviation: 1 / sqrt(variance + epsilon)
  /// Written and read by backward: means over the mini-batch of g, and of g x normalised input x
  /// inverse deviation, where g is the gradient behind the ReLU's mask.
  float* gradient_mean = nullptr;
  float* gradient_slope = nullptr;
};

struct BatchNormScratch {
  void* partials = nullptr;      ///< scratch_bytes()
  unsigned* arrivals = nullptr;  ///< zeros before the first launch, and after every one
};

/// A batch norm in a residual unit's shortcut, which normalises the second operand of the add.
struct ShortcutNorm {
  const float* scale = nullptr;  ///< [channels]; null: 1
  const float* shift = nullptr;  ///< [channels]; null: there is no such norm
  const float* sums = nullptr;   ///< of forward, as in BatchNormForward
  float* scale_gradient = nullptr;
  float* shift_gradient = nullptr;
  BatchNormStatistics statistics;

  explicit operator bool() const { return shift != nullptr; }
};

/// A pooling behind the ReLU. Of a maximum, windows are at most twice the stride, so that at most
/// two a dimension contain a pixel. A mean is of the whole image.
struct NormPool {
  PoolingShape shape;              ///< without items there is no pool
  std::uint8_t* places = nullptr;  ///< of a maximum, as of pool_forward()

  explicit operator bool() const { return shape.items > 0; }
};

struct BatchNormForward {
  const void* input = nullptr;
  const void* added = nullptr;  ///< second operand of the add, or null
  void* output = nullptr;
  std::uint8_t* mask = nullptr;  ///< required with `added` and a ReLU
  const float* scale = nullptr;  ///< [channels]; null: 1
  const float* shift = nullptr;  ///< [channels]
  /// Of the input's numbers by channel, and then of their squares; null: the mean and the deviation
  /// are known. For inputs of 16 bits: if the mean is far from 0, the variance loses to fp32 what
  /// the inputs lost already.
  const float* sums = nullptr;
  ShortcutNorm shortcut = {};  ///< of `added`
  /// Only with a ReLU: a maximum without an add, a mean with one of a tensor as it is.
  NormPool pool = {};
};
/// Writes the mean and the deviation of `input`.
void batch_norm_statistics(const BatchNormShape& shape, const void* input,
                           const BatchNormStatistics& statistics, const BatchNormScratch& scratch,
                           cudaStream_t stream);
/// A forward pass with a pool.
void batch_norm_pool(const BatchNormShape& shape, const BatchNormForward& pass,
                     const BatchNormStatistics& statistics, cudaStream_t stream);
/// Requires the mean and the deviation, or writes them from the pass's sums; so for the shortcut.
void batch_norm_forward(const BatchNormShape& shape, const BatchNormForward& pass,
                        const BatchNormStatistics& statistics, cudaStream_t stream);

struct BatchNormBackward {
  const void* input = nullptr;
  const void* gradient = nullptr;  ///< of the output
  const std::uint8_t* mask =
      nullptr;  ///< null: backward recomputes the ReLU's mask; only without an add
  const float* scale = nullptr;
  const float* shift = nullptr;
  float* scale_gradient = nullptr;  ///< null if there is no scale
  float* shift_gradient = nullptr;
  void* input_gradient = nullptr;  ///< null: not needed
  bool input_adds = false;         ///< adds to the gradient instead of overwriting it
  void* added_gradient = nullptr;  ///< null: not needed; may be `gradient` itself
  bool added_adds = false;
  /// A part of the output's gradient that is of these pixels alone, behind the mask of the ReLU
  /// that follows; only with a mask and no shortcut. Null: there is none.
  const void* kept_gradient = nullptr;
  const std::uint8_t* kept_mask = nullptr;
  KeptPixels kept_pixels = {};
  const void* added = nullptr;  ///< the second operand of the add; required by a shortcut's norm
  ShortcutNorm shortcut = {};   ///< `added_gradient` is then that of `added`, behind this norm
  NormPool pool = {};           ///< `gradient` is then that of the pool's output
};
void batch_norm_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                         const BatchNormStatistics& statistics, const BatchNormScratch& scratch,
                         cudaStream_t stream);

}  // namespace paceline::cuda
