// SPDX-License-Identifier: MIT
/// \file
/// A reduction over all threads of a block in a fixed order.
#pragma once
#include <cuda_runtime.h>

namespace paceline::cuda {

/// Reduces the threads' values with `fold(a, b)` and returns the result to every thread. All
/// threads of the block must call it; the block has whole warps and at most kMostThreads threads.
template <int kMostThreads, class Value, class Fold>
__device__ Value fold_block(Value mine, Fold fold) {
  constexpr unsigned kWarp = 32;
  __shared__ Value of_warps[kMostThreads / static_cast<int>(kWarp)];
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    mine = fold(mine, __shfl_xor_sync(0xffffffffu, mine, static_cast<int>(distance)));
  }
  __syncthreads();  // until all threads have read the result of the previous call
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  Value all = of_warps[0];
  for (unsigned k = 1; k < blockDim.x / kWarp; ++k) all = fold(all, of_warps[k]);
  return all;
}

}  // namespace paceline::cuda
