// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/cuda/kernels/elementwise.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"

namespace paceline::cuda {
namespace {

template <class T>
__global__ void sum(const Terms terms, T* into, bool relu, std::int64_t elements) {
  for_packs<kWide<T>>(elements, [&]<int V>(std::int64_t i) {
    float total[V] = {};
#pragma unroll
    for (int k = 0; k < kMostTerms;
         ++k) {  // a constant bound, so that the loads are issued together
      if (k >= terms.count) break;
      const Pack<T, V> x = load<V>(static_cast<const T*>(terms.values[k]) + i);
#pragma unroll
      for (int j = 0; j < V; ++j) total[j] += to_float(x.at[j]);
    }
    if (relu) {
#pragma unroll
      for (int j = 0; j < V; ++j) total[j] = total[j] < 0 ? 0 : total[j];  // NaN stays NaN
    }
    put<V>(into + i, total, false);
  });
}

template <class T>
__global__ void pass(const T* gradient, const T* output, const Receivers receivers,
                     std::int64_t elements) {
  for_packs<kWide<T>>(elements, [&]<int V>(std::int64_t i) {
    const Pack<T, V> dy = load<V>(gradient + i);
    float g[V];
#pragma unroll
    for (int j = 0; j < V; ++j) g[j] = to_float(dy.at[j]);
    if (output != nullptr) {
      const Pack<T, V> y = load<V>(output + i);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!(to_float(y.at[j]) > 0)) g[j] = 0;
      }
    }
#pragma unroll
    for (int k = 0; k < kMostTerms; ++k) {
      if (k >= receivers.count) break;
      put<V>(static_cast<T*>(receivers.gradients[k]) + i, g, receivers.adds[k]);
    }
  });
}

unsigned blocks_of(Element element, std::int64_t elements) {
  const std::int64_t wide = 16 / bytes_of(element);
  return blocks_for((elements + wide - 1) / wide);
}

}  // namespace

void sum_tensors(const Terms& terms, void* into, bool relu, Element element, std::int64_t elements,
                 cudaStream_t stream) {
  with_element(element, [&]<class T>() {
    launch(elementwise("sum", element, elements, terms.count, 1), sum<T>,
           dim3(blocks_of(element, elements)), dim3(kThreads), stream, terms, static_cast<T*>(into),
           relu, elements);
  });
}

void pass_gradient(const void* gradient, const void* output, const Receivers& receivers,
                   Element element, std::int64_t elements, cudaStream_t stream) {
  const auto adds =
      static_cast<int>(std::count(receivers.adds, receivers.adds + receivers.count, true));
  const Cost cost = elementwise("sum: gradients", element, elements,
                                1 + (output != nullptr ? 1 : 0) + adds, receivers.count);
  with_element(element, [&]<class T>() {
    launch(cost, pass<T>, dim3(blocks_of(element, elements)), dim3(kThreads), stream,
           static_cast<const T*>(gradient), static_cast<const T*>(output), receivers, elements);
  });
}

}  // namespace paceline::cuda
