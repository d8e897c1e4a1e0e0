// SPDX-License-Identifier: MIT
/// \file
/// The parts that both passes of batch norm share. Each pass has three launches: partial sums per
/// block, sums per channel, and the elements.
#pragma once
#include "exec/cuda/kernels/batch_norm.hpp"
#include "exec/cuda/kernels/channel_walk.cuh"

namespace paceline::cuda {

inline constexpr int kWarp = 32;

/// The address of a block's partial result: [field][channel][chunk].
template <class Walk>
__device__ float* partial(float* partials, const ChannelGrid& grid, const Walk& walk, int field,
                          int j) {
  const std::int64_t row = static_cast<std::int64_t>(field) * grid.channels + walk.channel() + j;
  return partials + row * grid.chunks + blockIdx.y;
}

__device__ inline float sum_of_warp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

/// Loads one parameter for each of a thread's channels, 16 bytes at a time if `all` is aligned (a
/// vector in the flat weights may begin anywhere).
template <int A>
__device__ void load_channels(float (&to)[A], const float* all, int channel) {
  if constexpr (A % 4 == 0) {
    if (reinterpret_cast<std::uintptr_t>(all) % 16 == 0) {
#pragma unroll
      for (int j = 0; j < A; j += 4) {
        const Pack<float, 4> four = load<4>(all + channel + j);
#pragma unroll
        for (int k = 0; k < 4; ++k) to[j + k] = four.at[k];
      }
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < A; ++j) to[j] = all[channel + j];
}

/// y = (x - mean) x slope + shift for a thread's channels.
template <int A>
struct Affine {
  float mean[A];
  float slope[A];
  float shift[A];

  template <class Walk>
  __device__ Affine(const Walk& walk, const BatchNormStatistics& statistics, const float* scales,
                    const float* shifts) {
    load_channels(mean, statistics.mean, walk.channel());
    load_channels(slope, statistics.deviation, walk.channel());
    load_channels(shift, shifts, walk.channel());
    if (scales == nullptr) return;
    float scale[A];
    load_channels(scale, scales, walk.channel());
#pragma unroll
    for (int j = 0; j < A; ++j) slope[j] *= scale[j];
  }
  // The same instruction in both passes, since backward recomputes the ReLU's mask and must round
  // the same way.
  __device__ float operator()(float x, int j) const {
    return fmaf(x - mean[j], slope[j], shift[j]);
  }
};

/// The bit of element j in its pack's byte of the mask.
template <int V>
__device__ std::uint8_t bit_of(int j) {
  static_assert(V <= 8);
  return static_cast<std::uint8_t>(1u << j);
}

/// One block per column and chunk.
inline dim3 blocks_of(const ChannelGrid& grid) {
  return {static_cast<unsigned>(grid.columns), static_cast<unsigned>(grid.chunks)};
}
/// One warp per channel.
inline dim3 blocks_of_warps(int channels) {
  constexpr int kWarps = kThreads / kWarp;
  return {static_cast<unsigned>((channels + kWarps - 1) / kWarps)};
}

/// Calls `f.template operator()<T, V, kLast>()` for a shape.
template <class F>
void with_shape(const BatchNormShape& shape, F f) {
  with_pack(
      shape.element, [&](int wide) { return shape.grid.pack == wide; },
      [&]<class T, int V>() {
        if (shape.grid.channels_last) {
          f.template operator()<T, V, true>();
        } else {
          f.template operator()<T, V, false>();
        }
      });
}

}  // namespace paceline::cuda
