// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/cast.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"

namespace paceline::cuda {
namespace {

template <class From, class To>
__global__ void convert(const From* from, To* to, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    set(to[i], to_float(from[i]));
  }
}

}  // namespace

void narrow(const float* from, void* to, Element element, std::int64_t count, cudaStream_t stream) {
  with_element(element, [&]<class T>() {
    launch(Cost{"narrow", 4 * count, count * bytes_of(element)}, convert<float, T>,
           blocks_for(count), kThreads, stream, from, static_cast<T*>(to), count);
  });
}

void widen(const void* from, Element element, float* to, std::int64_t count, cudaStream_t stream) {
  with_element(element, [&]<class T>() {
    launch(Cost{"widen", count * bytes_of(element), 4 * count}, convert<T, float>,
           blocks_for(count), kThreads, stream, static_cast<const T*>(from), to, count);
  });
}

}  // namespace paceline::cuda
