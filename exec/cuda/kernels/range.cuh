// SPDX-License-Identifier: MIT
/// \file
/// Grid-stride loops over a range.
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

namespace paceline::cuda {

__device__ inline std::int64_t first_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t all_threads() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

/// Calls `f.template operator()<V>(first)` for each run of V numbers out of `count`, and
/// `f.template operator()<1>(i)` for the remaining ones.
template <int V, class F>
__device__ void for_packs(std::int64_t count, F f) {
  const std::int64_t packs = count / V;
  for (std::int64_t i = first_thread(); i < packs; i += all_threads()) {
    f.template operator()<V>(i * V);
  }
  if constexpr (V > 1) {
    for (std::int64_t i = packs * V + first_thread(); i < count; i += all_threads()) {
      f.template operator()<1>(i);
    }
  }
}

}  // namespace paceline::cuda
