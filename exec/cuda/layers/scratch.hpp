// SPDX-License-Identifier: MIT
/// \file
/// Subdivision of scratch memory.
#pragma once
#include <cstddef>

namespace paceline::cuda {

/// Rounds up to 256 bytes, the alignment of allocations.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}
inline void* at(void* memory, std::size_t offset) {
  return static_cast<char*>(memory) + offset;
}
inline const void* at(const void* memory, std::size_t offset) {
  return static_cast<const char*>(memory) + offset;
}

}  // namespace paceline::cuda
