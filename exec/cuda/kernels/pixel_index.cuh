// SPDX-License-Identifier: MIT
/// \file
/// Where a thread stands in a tensor of images, for kernels that care about rows and columns.
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

#include "exec/cuda/kernels/grid.hpp"

namespace paceline::cuda {

/// A thread's pack of one item: V channels of a pixel, or one element of a plane.
struct Spot {
  int channel, y, x;
};
template <int V>
__device__ Spot spot_of(unsigned i, bool channels_last, int channels, int height, int width) {
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
/// Of the first number of a pack.
__device__ inline std::int64_t place(bool channels_last, int item, const Spot& s, int channels,
                                     int height, int width) {
  const std::int64_t row = static_cast<std::int64_t>(item);
  if (channels_last) return ((row * height + s.y) * width + s.x) * channels + s.channel;
  return ((row * channels + s.channel) * height + s.y) * width + s.x;
}

/// Calls `f(item, pack)` for the grid's share of all packs: blocks in y take items.
template <class F>
__device__ void for_items(int items, unsigned packs, F f) {
  for (int item = static_cast<int>(blockIdx.y); item < items; item += static_cast<int>(gridDim.y)) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < packs;
         i += gridDim.x * blockDim.x) {
      f(item, i);
    }
  }
}

/// Packs of one item.
inline unsigned packs_of(int channels, int height, int width, int pack) {
  return static_cast<unsigned>(std::int64_t{channels} * height * width / pack);
}
/// For for_items().
inline dim3 blocks_for_items(unsigned packs, int items) {
  constexpr int kMostRows = 65535;  // of a grid
  return {(packs + kThreads - 1) / kThreads,
          static_cast<unsigned>(items < kMostRows ? items : kMostRows)};
}

}  // namespace paceline::cuda
