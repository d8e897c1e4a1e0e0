// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/pixel_index.cuh"
#include "exec/cuda/kernels/pool_window.cuh"
#include "exec/cuda/kernels/pooling.hpp"

namespace paceline::cuda {
namespace {

template <class T, int V, class Place, bool kMaximum>
__global__ void __launch_bounds__(kThreads)
    pool(const PoolingShape p, const T* input, T* output, Place* places, unsigned packs) {
  for_items(p.items, packs, [&](int item, unsigned i) {
    const PixelIndex out =
        pixel_index_of<V>(i, p.channels_last, p.channels, p.out_height, p.out_width);
    const Window window(p, item, out.y, out.x);
    Maximum<V, Place> largest;
    float sum[V] = {};
    for (int y = window.top; y < window.bottom; ++y) {
      for (int x = window.left; x < window.right; ++x) {
        const Pack<T, V> in = load<V>(input + offset_of(p.channels_last, item, {out.channel, y, x},
                                                        p.channels, p.in_height, p.in_width));
        const int k = place_in_window(p, out.y, out.x, y, x);
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if constexpr (kMaximum) {
            largest.take(j, to_float(in.at[j]), k);
          } else {
            sum[j] += to_float(in.at[j]);
          }
        }
      }
    }
    if constexpr (!kMaximum) {
      const float share = window.share();
#pragma unroll
      for (int j = 0; j < V; ++j) sum[j] *= share;
    }
    const std::int64_t at =
        offset_of(p.channels_last, item, out, p.channels, p.out_height, p.out_width);
    put<V>(output + at, kMaximum ? largest.value : sum, false);
    if constexpr (kMaximum) store<V>(places + at, largest.from);
  });
}

template <class T, int V, class Place, bool kMaximum>
__global__ void __launch_bounds__(kThreads)
    unpool(const PoolingShape p, const T* gradient, const Place* places, T* input_gradient,
           bool adds, unsigned packs) {
  for_items(p.items, packs, [&](int item, unsigned i) {
    const PixelIndex in =
        pixel_index_of<V>(i, p.channels_last, p.channels, p.in_height, p.in_width);
    // output rows y with windows that contain this row: y * stride <= row + pad < y * stride +
    // kernel
    const int row = in.y + p.pad_top, column = in.x + p.pad_left;
    const int bottom = std::min(row / p.stride, p.out_height - 1);
    const int right = std::min(column / p.stride, p.out_width - 1);
    const int top = std::max(row - p.kernel_height + p.stride, 0) / p.stride;
    const int left = std::max(column - p.kernel_width + p.stride, 0) / p.stride;
    float sum[V] = {};
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        const std::int64_t at = offset_of(p.channels_last, item, {in.channel, y, x}, p.channels,
                                          p.out_height, p.out_width);
        const Pack<T, V> dy = load<V>(gradient + at);
        if constexpr (kMaximum) {
          const Pack<Place, V> from = load<V>(places + at);
          const int k = (row - y * p.stride) * p.kernel_width + (column - x * p.stride);
#pragma unroll
          for (int j = 0; j < V; ++j) {
            if (from.at[j] == static_cast<Place>(k)) sum[j] += to_float(dy.at[j]);
          }
        } else {
          const Window window(p, item, y, x);
          if (in.y >= window.bottom) continue;  // not of the item's own
          const float share = window.share();
#pragma unroll
          for (int j = 0; j < V; ++j) sum[j] += to_float(dy.at[j]) * share;
        }
      }
    }
    put<V>(
        input_gradient + offset_of(p.channels_last, item, in, p.channels, p.in_height, p.in_width),
        sum, adds);
  });
}

constexpr int kMostInAByte = 256;

/// Calls `f.template operator()<T, V, Place, kMaximum>()` for a shape.
template <class F>
void with_shape(const PoolingShape& p, F f) {
  with_pack(
      p.element, [&](int wide) { return p.channels_last && p.channels % wide == 0; },
      [&]<class T, int V>() {
        if (!p.maximum) {
          f.template operator()<T, V, std::uint8_t, false>();
        } else if (p.kernel_height * p.kernel_width <= kMostInAByte) {
          f.template operator()<T, V, std::uint8_t, true>();
        } else {
          f.template operator()<T, V, std::uint32_t, true>();
        }
      });
}

}  // namespace

std::int64_t PoolingShape::places_bytes() const {
  if (!maximum) return 0;
  const bool small = kernel_height * kernel_width <= kMostInAByte;
  return std::int64_t{items} * channels * out_height * out_width * (small ? 1 : 4);
}

void pool_forward(const PoolingShape& p, const void* input, void* output, void* places,
                  cudaStream_t stream) {
  const Cost cost{"pooling", p.in_bytes(), p.out_bytes() + p.places_bytes()};
  with_shape(p, [&]<class T, int V, class Place, bool kMaximum>() {
    const unsigned packs = packs_of(p.channels, p.out_height, p.out_width, V);
    launch(cost, pool<T, V, Place, kMaximum>, blocks_for_items(packs, p.items), dim3(kThreads),
           stream, p, static_cast<const T*>(input), static_cast<T*>(output),
           static_cast<Place*>(places), packs);
  });
}

void pool_backward(const PoolingShape& p, const void* gradient, const void* places,
                   void* input_gradient, bool adds, cudaStream_t stream) {
  const Cost cost{"pooling: gradient", p.out_bytes() + p.places_bytes() + (adds ? p.in_bytes() : 0),
                  p.in_bytes()};
  with_shape(p, [&]<class T, int V, class Place, bool kMaximum>() {
    const unsigned packs = packs_of(p.channels, p.in_height, p.in_width, V);
    launch(cost, unpool<T, V, Place, kMaximum>, blocks_for_items(packs, p.items), dim3(kThreads),
           stream, p, static_cast<const T*>(gradient), static_cast<const Place*>(places),
           static_cast<T*>(input_gradient), adds, packs);
  });
}

}  // namespace paceline::cuda
