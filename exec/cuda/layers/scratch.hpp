// SPDX-License-Identifier: MIT
/// \file
/// Parts of a piece of the device's memory that is lent as a whole.
#pragma once
#include <cstddef>

namespace paceline::cuda {

/// Parts begin at multiples of so many bytes, as allocations do.
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
