// SPDX-License-Identifier: MIT
/// \file
/// What all threads of a block know together, in a fixed order.
#pragma once
#include <cuda_runtime.h>

namespace paceline::cuda {

/// Folds the threads' values with `fold(a, b)` and tells every thread; whole warps, at most
/// kMostThreads. All threads of the block call it.
template <int kMostThreads, class Value, class Fold>
__device__ Value fold_block(Value mine, Fold fold) {
  constexpr unsigned kWarp = 32;
  __shared__ Value of_warps[kMostThreads / static_cast<int>(kWarp)];
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    mine = fold(mine, __shfl_xor_sync(0xffffffffu, mine, static_cast<int>(distance)));
  }
  __syncthreads();  // who called before has read
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  Value all = of_warps[0];
  for (unsigned k = 1; k < blockDim.x / kWarp; ++k) all = fold(all, of_warps[k]);
  return all;
}

}  // namespace paceline::cuda
