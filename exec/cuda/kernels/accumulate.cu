// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/accumulate.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"

namespace paceline::cuda {
namespace {

template <class T, int V>
__global__ void __launch_bounds__(kThreads) add_to(const T* addend, T* sum, std::int64_t packs) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < packs;
       i += step) {
    const Pack<T, V> pack = load<V>(addend + i * V);
    float values[V];
#pragma unroll
    for (int j = 0; j < V; ++j) values[j] = to_float(pack.at[j]);
    put(sum + i * V, values, true);
  }
}

}  // namespace

void accumulate(const void* addend, void* sum, Element element, std::int64_t count,
                cudaStream_t stream) {
  with_pack(
      element, [&](int wide) { return count % wide == 0; },
      [&]<class T, int V>() {
        const std::int64_t packs = count / V;
        launch(elementwise("accumulate", element, count, 2, 1), add_to<T, V>, blocks_for(packs),
               kThreads, stream, static_cast<const T*>(addend), static_cast<T*>(sum), packs);
      });
}

}  // namespace paceline::cuda
