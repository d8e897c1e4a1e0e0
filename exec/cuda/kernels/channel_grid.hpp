// SPDX-License-Identifier: MIT
/// \file
/// How a tensor is divided over a grid of threads that each keep to the same channels.
#pragma once
#include <cstddef>
#include <cstdint>

#include "exec/cuda/kernels/element.hpp"
#include "exec/cuda/kernels/grid.hpp"

namespace paceline::cuda {

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

  std::int64_t elements() const { return std::int64_t{items} * channels * pixels; }
  /// Of `fields` fp32 numbers for each channel and chunk.
  std::int64_t partials_bytes(int fields) const {
    return std::int64_t{fields} * 4 * channels * chunks;
  }
};

/// The grid for a tensor on the current device.
ChannelGrid lay_channels(Element element, bool channels_last, int items, int channels, int pixels);

}  // namespace paceline::cuda
