// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/grid.hpp"

#include <algorithm>

#include <cuda_runtime_api.h>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

int multiprocessors() {
  int device = 0;
  check(cudaGetDevice(&device), "querying the device");
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "querying the multiprocessors");
  return count;
}

int resident_blocks(const void* kernel) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0),
        "querying the occupancy");
  return std::max(blocks, 1);
}

unsigned blocks_for(std::int64_t threads, int waves) {
  // resident threads per multiprocessor, of Volta and later except Turing (1024)
  constexpr std::int64_t kResident = 2048;
  const std::int64_t most = multiprocessors() * (kResident / kThreads) * waves;
  const std::int64_t needed = (threads + kThreads - 1) / kThreads;
  return static_cast<unsigned>(std::clamp<std::int64_t>(needed, 1, most));
}

}  // namespace paceline::cuda
