// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/channel_grid.hpp"

#include <algorithm>
#include <cstdint>

namespace paceline::cuda {
namespace {

std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Lanes per row of channels: as many as possible with the fewest idle, and at least 4 packs of 16
/// bytes, since DRAM transfers 64 bytes at a time.
int lanes_for(int packs) {
  constexpr int kMost = 32, kLeast = 4;
  int best = kMost;
  for (int lanes = kMost; lanes >= kLeast; lanes /= 2) {
    if (quotient_up(packs, lanes) * lanes < quotient_up(packs, best) * best) best = lanes;
  }
  while (best / 2 >= packs) best /= 2;
  return best;
}

/// With the chunks that fit the pixels of the columns.
ChannelGrid chunked(ChannelGrid grid, int least_steps) {
  // per multiprocessor: enough loads in flight to saturate its memory bandwidth
  constexpr int kBlocksEach = 4;
  const bool last = grid.channels_last;
  // of one block that processes a whole column
  const std::int64_t steps =
      quotient_up(std::int64_t{grid.items} * (last ? grid.pixels : grid.plane_packs()),
                  last ? kThreads / grid.lanes : kThreads);
  grid.most_chunks = std::max<std::int64_t>(steps / least_steps, 1);
  return grid.with_blocks(kBlocksEach);
}

}  // namespace

ChannelGrid lay_channels(Element element, bool channels_last, int items, int channels, int pixels,
                         bool splits) {
  const int wide = static_cast<int>(16 / bytes_of(element));
  ChannelGrid grid{items, channels, pixels, channels_last || pixels == 1};
  if (grid.channels_last) {
    grid.pack = channels % wide == 0 ? wide : 1;
    const int packs = channels / grid.pack;
    grid.lanes = lanes_for(packs);
    grid.columns = static_cast<int>(quotient_up(packs, grid.lanes));
  } else {
    constexpr int kPacksLeast = 2;  // of a plane
    const bool packs = pixels % wide == 0 || (splits && pixels >= kPacksLeast * wide);
    grid.pack = packs ? wide : 1;
    grid.columns = channels;
  }
  return chunked(grid, kLeastSteps);
}

ChannelGrid ChannelGrid::with_pixels(int number, int least_steps) const {
  ChannelGrid grid = *this;
  grid.pixels = number;
  if (!channels_last) grid.pack = 1;
  return chunked(grid, least_steps);
}

/// All blocks run at once: a second wave would be a thin one.
ChannelGrid ChannelGrid::with_blocks(int per_multiprocessor) const {
  ChannelGrid grid = *this;
  const std::int64_t blocks = std::int64_t{multiprocessors()} * per_multiprocessor;
  grid.chunks = static_cast<int>(std::clamp<std::int64_t>(blocks / columns, 1, most_chunks));
  return grid;
}

}  // namespace paceline::cuda
