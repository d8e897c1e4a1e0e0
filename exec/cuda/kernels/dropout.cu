// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/dropout.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"
#include "training/workload/random/dropout_mask.hpp"

namespace paceline::cuda {
namespace {

__device__ DropoutDraw draw_of(const DrawKeys& keys, std::uint32_t layer) {
  return {{keys.key[0], keys.key[1]},
          *keys.worker,
          static_cast<std::uint64_t>(keys.step[1]) << 32 | keys.step[0],
          layer};
}

/// Elements are counted in memory order.
template <class T>
__global__ void drop(const T* from, T* to, bool adds, std::uint32_t threshold, float scale,
                     std::uint32_t layer, const DrawKeys keys, std::int64_t elements) {
  const DropoutDraw draw = draw_of(keys, layer);
  for_packs<kWide<T>>(elements, [&]<int V>(std::int64_t i) {
    const Pack<T, V> x = load<V>(from + i);
    float y[V];
    if constexpr (V == 1) {
      y[0] = keeps(draw, static_cast<std::uint64_t>(i), threshold) ? to_float(x.at[0]) * scale : 0;
    } else {
#pragma unroll
      for (int j = 0; j < V; j += 4) {
        const auto mask = keeps_four(draw, static_cast<std::uint32_t>((i + j) / 4), threshold);
#pragma unroll
        for (int k = 0; k < 4; ++k) y[j + k] = mask[k] ? to_float(x.at[j + k]) * scale : 0;
      }
    }
    put<V>(to + i, y, adds);
  });
}

/// Memory is in channels-first order; elements are counted in channels-last order.
template <class T>
__global__ void drop_planes(const T* from, T* to, bool adds, std::uint32_t threshold, float scale,
                            std::uint32_t layer, const DrawKeys keys, std::int64_t planes,
                            int channels, int pixels) {
  const DropoutDraw draw = draw_of(keys, layer);
  for (std::int64_t i = first_thread(); i < planes * pixels; i += all_threads()) {
    const std::int64_t plane = i / pixels;
    const std::int64_t item = plane / channels;
    const std::int64_t element =
        (item * pixels + (i - plane * pixels)) * channels + (plane - item * channels);
    const bool keep = keeps(draw, static_cast<std::uint64_t>(element), threshold);
    const float y[1] = {keep ? to_float(from[i]) * scale : 0};
    put<1>(to + i, y, adds);
  }
}

}  // namespace

void drop_out(const DropoutShape& p, const void* from, void* to, bool adds, const DrawKeys& keys,
              cudaStream_t stream) {
  const std::uint32_t threshold = dropout_threshold(p.rate);
  const float scale = dropout_scale(p.rate);
  const std::int64_t planes = std::int64_t{p.items} * p.channels;
  const std::int64_t elements = planes * p.pixels;
  const Cost cost = elementwise("dropout", p.element, elements, adds ? 2 : 1, 1);
  with_element(p.element, [&]<class T>() {
    const auto* x = static_cast<const T*>(from);
    auto* y = static_cast<T*>(to);
    if (p.channels_last || p.channels == 1 || p.pixels == 1) {
      launch(cost, drop<T>, dim3(blocks_for(elements / kWide<T> + 1)), dim3(kThreads), stream, x, y,
             adds, threshold, scale, p.layer, keys, elements);
    } else {
      launch(cost, drop_planes<T>, dim3(blocks_for(elements)), dim3(kThreads), stream, x, y, adds,
             threshold, scale, p.layer, keys, planes, p.channels, p.pixels);
    }
  });
}

}  // namespace paceline::cuda
