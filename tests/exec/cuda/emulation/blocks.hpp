// SPDX-License-Identifier: MIT
/// \file
/// Blocks of an emulated device's memory, which hold NaN until they are written.
#pragma once
#include <cstddef>

namespace paceline::cuda::emulation {

/// A block of memory; `device` < 0: pinned memory of the host.
struct Allocation {
  std::size_t bytes = 0;
  int device = -1;
  bool mapped = false;  ///< by pages, of a device that hardly touches it; else it is of the heap
};

/// Null: there is not enough memory.
void* take_block(std::size_t bytes, bool mapped);
void give_back(const std::byte* data, const Allocation& block);

}  // namespace paceline::cuda::emulation
