// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/batch_norm_channels.cuh"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/pool_window.cuh"

namespace paceline::cuda {
namespace {

/// Each step of the walk computes one output; windows overlap, so inputs are loaded from the cache
/// several times.
template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    normalise_and_pool(const BatchNormForward pass, const ChannelGrid grid, float count,
                       const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 3;  // of a row, loads in flight
  const PoolingShape& p = pass.pool.shape;
  const auto* input = static_cast<const T*>(pass.input);
  const ChannelWalk<V, kLast> first(grid, true);
  if (!first.has_channel()) return;
  const Affine<A> affine =
      affine_of<A>(first, grid, count, pass.sums, statistics, pass.scale, pass.shift);
  for (ChannelWalk<V, kLast> walk = first; walk.within(); walk.next()) {
    const Pixel out = walk.pixel(p.out_height, p.out_width);
    const Window window(p, out.image, out.y, out.x);
    Maximum<V, std::uint8_t> largest;
    for (int y = window.top; y < window.bottom; ++y) {
      for (int left = window.left; left < window.right; left += kAhead) {
        Pack<T, V> x[kAhead] = {};
        const std::int64_t at = walk.offset_of({out.image, y, left}, p.in_height, p.in_width);
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
          if (left + k < window.right) x[k] = load<V>(input + at + k * (kLast ? grid.channels : 1));
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
          if (left + k >= window.right) continue;
          const int place = place_in_window(p, out.y, out.x, y, left + k);
#pragma unroll
          for (int j = 0; j < V; ++j) {
            const float value = affine(to_float(x[k].at[j]), kLast ? j : 0);
            T rounded;  // as if it had been written, so that the same numbers are equal
            set(rounded, value < 0 ? 0 : value);
            largest.take(j, to_float(rounded), place);
          }
        }
      }
    }
    put<V>(static_cast<T*>(pass.output) + walk.offset(), largest.value, false);
    store<V>(pass.pool.places + walk.offset(), largest.from);
  }
}

/// Each step of the walk computes the mean of one image.
template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    normalise_and_average(const BatchNormForward pass, const ChannelGrid grid, int pixels,
                          float count, const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 4;
  const auto* input = static_cast<const T*>(pass.input);
  const auto* added = static_cast<const T*>(pass.added);
  ChannelWalk<V, kLast> walk(grid, true);
  if (!walk.has_channel()) return;
  const Affine<A> affine =
      affine_of<A>(walk, grid, count, pass.sums, statistics, pass.scale, pass.shift);
  for (; walk.within(); walk.next()) {
    const std::int64_t first = walk.offset_of({walk.pixel(1, 1).image, 0, 0}, 1, pixels);
    const std::int64_t step = kLast ? grid.channels : 1;
    float sum[V] = {};
    for (int pixel = 0; pixel < pixels; pixel += kAhead) {
      Pack<T, V> x[kAhead] = {}, other[kAhead] = {};
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (pixel + k >= pixels) continue;
        x[k] = load<V>(input + first + (pixel + k) * step);
        other[k] = load<V>(added + first + (pixel + k) * step);
      }
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (pixel + k >= pixels) continue;
        std::uint8_t positive = 0;
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const float value =
              affine(to_float(x[k].at[j]), kLast ? j : 0) + to_float(other[k].at[j]);
          if (value > 0) positive |= bit_of<V>(j);
          T rounded;  // as if it had been written
          set(rounded, value < 0 ? 0 : value);
          sum[j] += to_float(rounded);
        }
        pass.mask[(first + (pixel + k) * step) / V] = positive;
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) sum[j] *= 1.0f / static_cast<float>(pixels);
    put<V>(static_cast<T*>(pass.output) + walk.offset(), sum, false);
  }
}

}  // namespace

void batch_norm_pool(const BatchNormShape& shape, const BatchNormForward& pass,
                     const BatchNormStatistics& statistics, cudaStream_t stream) {
  const bool adds = pass.added != nullptr;
  const Cost cost{
      adds ? "batch norm: normalise, add, average" : "batch norm: normalise and pool",
      (adds ? 2 : 1) * shape.tensor_bytes() + shape.vectors_bytes(pass.scale != nullptr ? 4 : 3),
      shape.output_bytes() + pass.pool.shape.places_bytes() + (adds ? shape.mask_bytes() : 0) +
          shape.vectors_bytes(pass.sums != nullptr ? 2 : 0)};
  const float count = numbers_of_channel(shape.grid, shape.kept);
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    if (adds) {
      const auto apply = normalise_and_average<T, V, kLast>;
      const ChannelGrid grid = fitting(shape.output.with_pixels(1, 1), apply);
      launch(cost, apply, blocks_of(grid), dim3(kThreads), stream, pass, grid, shape.grid.pixels,
             count, statistics);
      return;
    }
    const auto apply = normalise_and_pool<T, V, kLast>;
    const ChannelGrid grid = fitting(shape.output, apply);
    launch(cost, apply, blocks_of(grid), dim3(kThreads), stream, pass, grid, count, statistics);
  });
}

}  // namespace paceline::cuda
