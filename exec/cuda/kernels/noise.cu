// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/kernels/number.cuh"

namespace paceline::cuda {
namespace {

/// The finalizer of MurmurHash3 (A. Appleby, public domain): every bit of i moves every bit.
__device__ std::uint32_t scramble(std::uint32_t i) {
  i ^= i >> 16;
  i *= 0x85ebca6bu;
  i ^= i >> 13;
  i *= 0xc2b2ae35u;
  return i ^ (i >> 16);
}

template <class T>
__global__ void fill(T* numbers, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const auto bits = static_cast<std::int32_t>(scramble(static_cast<std::uint32_t>(i)));
    set(numbers[i], static_cast<float>(bits) * 0x1p-31f);
  }
}

}  // namespace

void fill_with_noise(void* numbers, Element element, std::int64_t count, cudaStream_t stream) {
  with_element(element, [&]<class T>() {
    launch(elementwise("noise", element, count, 0, 1), fill<T>, blocks_for(count), kThreads, stream,
           static_cast<T*>(numbers), count);
  });
}

}  // namespace paceline::cuda
