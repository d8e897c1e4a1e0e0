// SPDX-License-Identifier: MIT
/// \file
/// How a tensor is divided over a grid of threads that each keep to the same channels.
#pragma once
#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"
#include "exec/cuda/kernels/grid.hpp"

namespace paceline::cuda {

/// Pixels or packs that a thread has at least, where it does little for each.
inline constexpr int kLeastSteps = 4;

/// Blocks form columns (of channels) and chunks (of pixels).
struct ChannelGrid {
  int items = 0;
  int channels = 0;
  int pixels = 0;  ///< per item
  bool channels_last = false;
  int pack = 1;   ///< numbers that a thread loads or stores at once
  int lanes = 1;  ///< threads of a block along a pixel's channels; a power of two
  int columns = 1;
  int chunks = 1;
  std::int64_t most_chunks = 1;  ///< with a least of work for each

  /// The last block of a group of chunks to end sums up their partial results, and the last of
  /// these all groups; so a block reads few of them.
  __host__ __device__ constexpr int chunks_of_group() const {
    int side = 1;
    while (side * side < chunks) ++side;
    return side;
  }
  __host__ __device__ constexpr int groups() const {
    return (chunks + chunks_of_group() - 1) / chunks_of_group();
  }
  /// The same with at most this number of blocks per multiprocessor.
  ChannelGrid with_blocks(int per_multiprocessor) const;
  /// The same channels for a thread, over images of another number of pixels. In nchw packs are
  /// single numbers. `least_steps`: of a thread, so that its work outweighs its start.
  ChannelGrid with_pixels(int number, int least_steps = kLeastSteps) const;

  /// Packs of a plane (nchw), which may begin and end within one.
  __host__ __device__ constexpr int plane_packs() const {
    return pixels % pack == 0 ? pixels / pack : (pixels + pack - 2) / pack + 1;
  }
  std::int64_t packs() const {
    if (channels_last) return elements() / pack;
    return std::int64_t{items} * channels * plane_packs();
  }
  std::int64_t elements() const { return std::int64_t{items} * channels * pixels; }
  /// Of `fields` fp32 numbers for each channel and chunk.
  std::int64_t partials_bytes(int fields) const {
    return std::int64_t{fields} * 4 * channels * chunks;
  }
  /// Of those, and of the sums of groups.
  std::int64_t grouped_bytes(int fields) const {
    return std::int64_t{fields} * 4 * channels * (chunks + groups());
  }
  /// Words that count the blocks that have ended, by column: of each group, and the groups. They
  /// are 0 between launches.
  std::int64_t arrivals() const { return std::int64_t{columns} * (groups() + 1); }
};

/// Threads per multiprocessor, at most: 8 blocks.
inline constexpr int kMostBlocksEach = 2048 / kThreads;

/// The grid for a tensor on the current device. `splits`: the kernel takes planes (nchw) of any
/// number of pixels in packs.
ChannelGrid lay_channels(Element element, bool channels_last, int items, int channels, int pixels,
                         bool splits = false);

}  // namespace paceline::cuda
