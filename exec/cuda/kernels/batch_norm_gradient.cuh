// SPDX-License-Identifier: MIT
/// \file
/// The gradient behind the ReLU of a batch norm's group, which both launches of its backward pass
/// read.
#pragma once
#include "exec/cuda/kernels/batch_norm_channels.cuh"

namespace paceline::cuda {

/// The source of the ReLU's mask, and of the gradient where it is not the output's alone.
enum class Mask {
  none,
  computed,
  stored,
  pooled,    ///< computed; the gradient is that of a maximum pool's output
  averaged,  ///< stored; the gradient is that of the mean of an image
  twofold,   ///< stored; the gradient has a part of kept pixels
};
constexpr bool is_stored(Mask mask) {
  return mask == Mask::stored || mask == Mask::averaged || mask == Mask::twofold;
}

/// Packs that a thread reads at once: one with two norms, since their vectors take registers, or
/// with a pool; their tensors or windows are loads enough in flight.
constexpr int ahead_of(int norms, Mask mask) {
  return norms == 2 || mask == Mask::pooled ? 1 : 2;
}

/// The numbers that a thread reads of one pack.
template <class T, int V, bool kLast, int kNorms>
struct Read {
  Place<V, kLast> place;
  Pixel pixel;               ///< with a pool
  Pack<T, V> dy, x[kNorms];  ///< of the norm, and of the shortcut's
  Pack<T, V> part;           ///< of kept pixels
  std::uint8_t positive = 0, part_positive = 0;
};

/// Reads the numbers at a place of the inputs, and the gradient at one of the output, if it has
/// that.
template <int kNorms, Mask kMask, class T, int V, bool kLast>
__device__ void read_pack(Read<T, V, kLast, kNorms>& read, const ChannelWalk<V, kLast>& walk,
                          const BatchNormBackward& pass, const Place<V, kLast>& input,
                          const Place<V, kLast>& output, const KeptPixels& kept) {
  read.x[0] = load_at(static_cast<const T*>(pass.input), input);
  if constexpr (kNorms == 2) read.x[1] = load_at(static_cast<const T*>(pass.added), input);
  if constexpr (kMask == Mask::pooled) {
    read.pixel = walk.pixel(pass.pool.shape.in_height, pass.pool.shape.in_width);
    return;
  }
  if constexpr (kMask == Mask::averaged) {
    const int image = walk.pixel(1, pass.pool.shape.in_height * pass.pool.shape.in_width).image;
    const std::int64_t at = walk.offset_of({image, 0, 0}, 1, 1);
    read.dy = load<V>(static_cast<const T*>(pass.gradient) + at);
    read.positive = pass.mask[walk.number()];
    return;
  }
  if (output.offset < 0) return;
  read.dy = load_at(static_cast<const T*>(pass.gradient), output);
  if constexpr (kMask == Mask::twofold) {
    const std::int64_t at = walk.kept_offset(pass.kept_pixels);
    if (at >= 0) {
      read.part = load<V>(static_cast<const T*>(pass.kept_gradient) + at);
      read.part_positive = pass.kept_mask[at / V];
    }
  }
  if constexpr (is_stored(kMask)) {
    read.positive = pass.mask[kept.stride > 1 ? output.offset / V : walk.number()];
  }
}

/// Sums the gradients of the windows of which a pixel is the maximum. At most two windows a
/// dimension contain it.
template <class T, int V, bool kLast>
__device__ void gather(float (&g)[V], const ChannelWalk<V, kLast>& walk, const Pixel& at,
                       const BatchNormBackward& pass) {
  const PoolingShape& p = pass.pool.shape;
  const int row = at.y + p.pad_top, column = at.x + p.pad_left;
  const int bottom = row / p.stride, right = column / p.stride;
#pragma unroll
  for (int j = 0; j < V; ++j) g[j] = 0;
#pragma unroll 1  // two windows in flight; four would take too many registers
  for (int y = bottom - 1; y <= bottom; ++y) {
    const int below = row - y * p.stride;
    if (y < 0 || y >= p.out_height || below >= p.kernel_height) continue;
    Pack<T, V> dy[2] = {};
    Pack<std::uint8_t, V> from[2] = {};
    int place[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int x = right - 1 + k, beside = column - x * p.stride;
      const bool within = x >= 0 && x < p.out_width && beside < p.kernel_width;
      place[k] = within ? below * p.kernel_width + beside : -1;
      if (!within) continue;
      const std::int64_t offset = walk.offset_of({at.image, y, x}, p.out_height, p.out_width);
      dy[k] = load<V>(static_cast<const T*>(pass.gradient) + offset);
      from[k] = load<V>(pass.pool.places + offset);
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (from[k].at[j] == place[k]) g[j] += to_float(dy[k].at[j]);
      }
    }
  }
}

/// Computes the gradient of a pack behind the ReLU's mask.
template <Mask kMask, int kNorms, class T, int V, bool kLast, class Affine>
__device__ void mask_gradient(float (&g)[V], const Read<T, V, kLast, kNorms>& read,
                              const Affine& affine, const ChannelWalk<V, kLast>& walk,
                              const BatchNormBackward& pass) {
  if constexpr (kMask == Mask::pooled) gather<T>(g, walk, read.pixel, pass);
  const PoolingShape& pool = pass.pool.shape;
  const float share = 1.0f / static_cast<float>(pool.in_height * pool.in_width);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if constexpr (kMask != Mask::pooled) g[j] = to_float(read.dy.at[j]);
    if constexpr (kMask == Mask::averaged) g[j] *= share;
    if constexpr (kMask == Mask::twofold) {
      if ((read.part_positive & bit_of<V>(j)) != 0) g[j] += to_float(read.part.at[j]);
    }
    bool through = true;
    if constexpr (kMask == Mask::computed || kMask == Mask::pooled) {
      through = affine(to_float(read.x[0].at[j]), kLast ? j : 0) > 0;
    } else if constexpr (is_stored(kMask)) {
      through = (read.positive & bit_of<V>(j)) != 0;
    }
    if (!through) g[j] = 0;
  }
}

}  // namespace paceline::cuda
