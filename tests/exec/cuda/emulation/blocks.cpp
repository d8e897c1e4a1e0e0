// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace paceline::cuda::emulation {
namespace {

constexpr std::size_t kAlignment = 256;                    // bytes, as cudaMalloc guarantees
constexpr std::size_t kPoisoned = std::size_t{16} << 20U;  // bytes at each end of a larger block
constexpr std::size_t kStart = std::size_t{1} << 18U;      // of a block that is hardly touched

/// Fills with NaN of every number format. Of huge blocks only the ends, so that the rest need not
/// be backed by memory.
void poison(void* data, std::size_t bytes) {
  if (bytes <= 2 * kPoisoned) {
    std::memset(data, 0xff, bytes);
    return;
  }
  std::memset(data, 0xff, kPoisoned);
  std::memset(static_cast<std::byte*>(data) + (bytes - kPoisoned), 0xff, kPoisoned);
}

/// A sanitizer keeps no books on it: these alone would take longer than the test.
void* map(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  poison(data, std::min(bytes, kStart));
  return data;
}

}  // namespace

void* take_block(std::size_t bytes, bool mapped) {
  if (mapped) return map(bytes);
  void* data = nullptr;
  if (posix_memalign(&data, kAlignment, bytes) != 0) return nullptr;
  poison(data, bytes);
  return data;
}

void give_back(const std::byte* data, const Allocation& block) {
  void* const memory = const_cast<std::byte*>(data);
  if (block.mapped) {
    munmap(memory, block.bytes);
  } else {
    std::free(memory);
  }
}

}  // namespace paceline::cuda::emulation
