// SPDX-License-Identifier: MIT
/// \file
/// The pixel and channel that a thread works on, for kernels that need rows and columns.
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

#include "exec/cuda/kernels/grid.hpp"

namespace paceline::cuda {

/// Position of a thread's pack within one item: V channels of a pixel, or one element of a plane.
struct PixelIndex {
  int channel, y, x;
};
template <int V>
__device__ PixelIndex pixel_index_of(unsigned i, bool channels_last, int channels, int height,
                                     int width) {
  const auto w = static_cast<unsigned>(width), h = static_cast<unsigned>(height);
  unsigned channel, pixel;
  if (channels_last) {
    const unsigned packs = static_cast<unsigned>(channels) / V;
    pixel = i / packs;
    channel = (i - pixel * packs) * V;
  } else {
    channel = i / (w * h);
    pixel = i - channel * (w * h);
  }
  const unsigned y = pixel / w;
  return {static_cast<int>(channel), static_cast<int>(y), static_cast<int>(pixel - y * w)};
}
/// Offset of the pack's first number in the tensor.
__device__ inline std::int64_t offset_of(bool channels_last, int item, const PixelIndex& at,
                                         int channels, int height, int width) {
  const std::int64_t row = static_cast<std::int64_t>(item);
  if (channels_last) return ((row * height + at.y) * width + at.x) * channels + at.channel;
  return ((row * channels + at.channel) * height + at.y) * width + at.x;
}

/// Calls `f(item, pack)` for every pack of the tensor, in a grid-stride loop; blocks in y stride
/// over items.
template <class F>
__device__ void for_items(int items, unsigned packs, F f) {
  for (int item = static_cast<int>(blockIdx.y); item < items; item += static_cast<int>(gridDim.y)) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < packs;
         i += gridDim.x * blockDim.x) {
      f(item, i);
    }
  }
}

/// Packs per item.
inline unsigned packs_of(int channels, int height, int width, int pack) {
  return static_cast<unsigned>(std::int64_t{channels} * height * width / pack);
}
/// The grid for for_items().
inline dim3 blocks_for_items(unsigned packs, int items) {
  constexpr int kMostRows = 65535;  // maximum grid size in y
  return {(packs + kThreads - 1) / kThreads,
          static_cast<unsigned>(items < kMostRows ? items : kMostRows)};
}

}  // namespace paceline::cuda
