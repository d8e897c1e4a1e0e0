// SPDX-License-Identifier: MIT
/// \file
/// Prefix sums over the threads of a block.
#pragma once
#include <cuda_runtime.h>

namespace paceline::cuda {

/// Returns the sum of the values of all threads before this one, and in `all` that of the whole
/// block. All threads of the block must call it; the block has whole warps and at most kMostThreads
/// threads.
template <int kMostThreads>
__device__ unsigned sum_before(unsigned mine, unsigned& all) {
  constexpr unsigned kWarp = 32;
  __shared__ unsigned of_warps[kMostThreads / static_cast<int>(kWarp)];
  const unsigned lane = threadIdx.x % kWarp;
  unsigned sum = mine;
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const unsigned below = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += below;
  }
  __syncthreads();  // until all threads have read the sums of the previous call
  if (lane == kWarp - 1) of_warps[threadIdx.x / kWarp] = sum;
  __syncthreads();
  unsigned before = sum - mine;
  all = 0;
  for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) {
    if (warp == threadIdx.x / kWarp) before += all;
    all += of_warps[warp];
  }
  return before;
}

}  // namespace paceline::cuda
