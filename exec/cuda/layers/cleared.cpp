// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/cleared.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

DeviceMemory cleared(std::size_t bytes) {
  DeviceMemory memory(bytes);
  if (bytes == 0) return memory;
  check(cudaMemset(memory.data(), 0, bytes), "clearing memory");
  check(cudaStreamSynchronize(nullptr), "clearing memory");  // no other stream waits for it
  return memory;
}

}  // namespace paceline::cuda
